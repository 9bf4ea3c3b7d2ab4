/** From a fault of a scenario to one of the file-system adapter. */
import path from 'node:path';
import type { Faults } from '../../../src/node/faults';
import type { Fault } from '../types';

const STORAGE = 'storage:';

/** `storage:NAME` is any file of that name in the storage; other paths are relative to the workspace. */
export function armFault(faults: Faults, fault: Fault, place: { workspace: string; storage: string }): void {
  const { op, error, times } = fault;
  faults.add({ op, error, path: matcher(fault.path, place), ...(times === undefined ? {} : { times }) });
}

export function matcher(given: string, place: { workspace: string; storage: string }): (absolute: string) => boolean {
  if (!given.startsWith(STORAGE)) {
    const wanted = path.resolve(place.workspace, given);
    return (absolute) => path.resolve(absolute) === wanted;
  }
  const name = given.slice(STORAGE.length);
  return (absolute) => absolute.startsWith(place.storage + path.sep) && path.basename(absolute) === name;
}
