/** Repositories inside the workspace, looked for as the run comes to know files in other folders. */
import type { Ports } from '../ports';
import type { RunEvent } from './events';
import type { RunState } from './state';

/** Once in each folder of the run's files. */
export class Repositories {
  private readonly folders = new Set<string>(['']);
  /** Of the run's files so many were looked at: new ones are added at the end. */
  private seen = 0;

  constructor(
    private readonly host: {
      readonly ports: Ports;
      readonly state: RunState;
      dispatch(event: RunEvent): Promise<void>;
    },
  ) {}

  /** undefined: no folder is new. Else waited for before anything goes on: what happens to a repository later is news of it. */
  find(): Promise<void> | undefined {
    const { files } = this.host.state;
    const added = files.length < this.seen ? files : files.slice(this.seen);
    this.seen = files.length;
    const folders = added.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1));
    const fresh = [...new Set(folders)].filter((folder) => !this.folders.has(folder));
    for (const folder of fresh) this.folders.add(folder);
    return fresh.length > 0 ? this.tell(fresh) : undefined;
  }

  private async tell(fresh: readonly string[]): Promise<void> {
    const { ports, state } = this.host;
    const git = await ports.git.state(new AbortController().signal, fresh).catch(() => undefined);
    const known = state.git?.others ?? {};
    const others = Object.fromEntries(
      Object.entries(git?.others ?? {}).filter(([folder]) => !Object.hasOwn(known, folder)),
    );
    if (Object.keys(others).length > 0) void this.host.dispatch({ type: 'repositoriesSeen', others });
  }
}
