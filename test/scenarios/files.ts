/** Which scenarios are played: from files and folders, read strictly. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Scenario } from './types';
import { parseScenario, ScenarioError } from './validate';

export interface Found {
  file: string;
  scenario: Scenario;
}

/** Files as they are, of folders all `*.json` below them; sorted by name. */
export async function scenarioFiles(places: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const place of places) {
    const there = await stat(place).catch(() => undefined);
    if (!there) throw new Error(`There is no file or folder ${place}.`);
    if (!there.isDirectory()) files.push(place);
    else {
      const below = (await readdir(place, { recursive: true })).filter((name) => name.endsWith('.json'));
      files.push(...below.map((name) => path.join(place, name)).sort());
    }
  }
  return [...new Set(files.map((file) => path.resolve(file)))];
}

/** Every problem of every file is told, not only the first. */
export async function readScenarios(places: readonly string[]): Promise<{ found: Found[]; problems: string[] }> {
  const found: Found[] = [];
  const problems: string[] = [];
  for (const file of await scenarioFiles(places)) {
    try {
      const scenario = parseScenario(await readFile(file, 'utf8'), file);
      found.push({ file, scenario });
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      problems.push(...error.problems.map((problem) => `${file}: ${problem}`));
    }
  }
  return { found, problems };
}
