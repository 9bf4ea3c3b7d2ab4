import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { noteStorage } from '../../../src/node/noteStorage';
import { findStorage } from '../../../src/node/whereabouts';
import { useFolder } from './helpers';

describe('where the storage of a workspace is', () => {
  const folder = useFolder();
  const at = (given: string, ...dirs: string[]) => ({
    dirs: dirs.map((dir) => folder.at(dir)),
    given: folder.at('storage', given),
    global: folder.at('global'),
  });
  /** A workspace that has runs. */
  async function used(given: string, ...dirs: string[]): Promise<string> {
    for (const dir of dirs) mkdirSync(folder.at(dir), { recursive: true });
    const place = at(given, ...dirs);
    mkdirSync(`${place.given}/runs`, { recursive: true });
    await noteStorage(place.given, place);
    return place.given;
  }

  it('is where VS Code says; nothing is written to find it', () => {
    mkdirSync(folder.at('a'));
    assert.equal(findStorage(at('1', 'a')), folder.at('storage/1'));
    assert.equal(existsSync(folder.at('global')), false);
  });

  it('is found after a rename, a move, and as a .code-workspace, again and again', async () => {
    const storage = await used('1', 'a');
    renameSync(folder.at('a'), folder.at('b'));
    assert.equal(findStorage(at('2', 'b')), storage);
    mkdirSync(folder.at('deep'));
    renameSync(folder.at('b'), folder.at('deep/c'));
    assert.equal(findStorage(at('3', 'deep/c')), storage);
    await noteStorage(storage, at('3', 'deep/c'));
    assert.equal(findStorage(at('saved as a workspace', 'deep/c')), storage);
  });

  it('is not that of another folder, a copy, a new one in its place, or another set of folders', async () => {
    await used('1', 'a');
    await used('2', 'x', 'y');
    mkdirSync(folder.at('other'));
    cpSync(folder.at('a'), folder.at('copy'), { recursive: true });
    const own = (given: string, ...dirs: string[]): void =>
      assert.equal(findStorage(at(given, ...dirs)), folder.at('storage', given), dirs.join());
    own('3', 'other');
    own('4', 'copy');
    own('5', 'a', 'other');
    own('6', 'x');
    own('7', 'y', 'x');
    assert.equal(findStorage(at('8', 'x', 'y')), folder.at('storage/2'));
    renameSync(folder.at('a'), folder.at('kept'));
    mkdirSync(folder.at('a'));
    own('9', 'a');
  });

  it('is where VS Code says once there is something, and where the other one is gone or empty', async () => {
    const storage = await used('1', 'a');
    mkdirSync(folder.at('storage/2'));
    assert.equal(findStorage(at('2', 'a')), folder.at('storage/2'));
    rmSync(storage, { recursive: true });
    assert.equal(findStorage(at('3', 'a')), folder.at('storage/3'));
  });

  it('a list that is damaged or of a newer version is nothing, and the newer one stays', async () => {
    await used('1', 'a');
    for (const text of ['', '{', 'null', '{"schemaVersion":1,"workspaces":[null,5,{"storage":1}]}']) {
      writeFileSync(folder.at('global/workspaces.json'), text);
      assert.equal(findStorage(at('2', 'a')), folder.at('storage/2'));
    }
    const newer = '{"schemaVersion":2,"workspaces":[]}';
    writeFileSync(folder.at('global/workspaces.json'), newer);
    await noteStorage(folder.at('storage/1'), at('1', 'a'));
    assert.equal(readFileSync(folder.at('global/workspaces.json'), 'utf8'), newer);
  });
});
