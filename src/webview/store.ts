/** The page's own store, which VS Code keeps over a reload. */
import { GOAL, type Kept } from './box';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

export const api = acquireVsCodeApi();

function texts(stored: unknown): Record<string, string> {
  if (typeof stored !== 'object' || stored === null) return {};
  return Object.fromEntries(
    Object.entries(stored).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );
}

export function loadKept(): Kept {
  const stored = api.getState();
  const { text, of, drafts, before } = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<
    string,
    unknown
  >;
  return {
    text: typeof text === 'string' ? text : '',
    of: typeof of === 'string' ? of : GOAL,
    drafts: texts(drafts),
    before: texts(before),
  };
}
