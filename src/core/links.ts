/** Links as themselves, and folders nothing is in: what a restore brings back or takes away beside files. */
import type { Hash, Path } from './ports';

export interface Links {
  /** What the link holds, byte for byte; it is not followed. `notFound`; `other` for what is no link. */
  readLink(path: Path): Promise<Uint8Array>;
  /**
   * A link that holds these bytes, wherever they lead; missing parent folders are made. `expect`: the bytes of the file whose
   * place it takes, null for "nothing"; else `changed`, and nothing is done.
   */
  makeLink(path: Path, target: Uint8Array, options: { expect: Hash | null }): Promise<void>;
  /**
   * The path of what it leads to, all links followed; `itself`: not one at its end. Where nothing is: where it would be. The
   * path itself where that cannot be told (circles) or is no path of the workspace.
   */
  leadsTo(path: Path, options: { itself: boolean }): Promise<Path>;
  /** Removes a folder; false: it is none, or something is in it. */
  removeFolder(path: Path): Promise<boolean>;
}
