/** What can be told from the text of a path alone, before the disk is asked. */
import { FileError } from '../../core/errors';
import { namesElsewhere, workOut } from '../../core/paths';

/** Characters that HFS+ leaves out when it compares names: `.g\u200cit` opens `.git` there. */
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
/** Half of a character pair: it has no UTF-8 form, so the name on disk would be another one. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Names Windows gives to devices or cannot hold. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
const WINDOWS_BAD = /[<>:"|?*]|[. ]$/;

/**
 * The segments of a path given by a model or a human, `.` and `..` worked out; nothing is decoded.
 * Throws `badName` (empty, the workspace itself, NUL, not a name), `outside` (absolute, a drive, a URI, the home folder,
 * or above the workspace), `reserved` (anything of `.git`).
 */
export function segmentsOf(given: string, platform: NodeJS.Platform = process.platform): string[] {
  if (given === '') throw new FileError('badName', given, 'empty');
  if (given.includes('\0') || LONE_SURROGATE.test(given)) throw new FileError('badName', given, 'not a file name');
  if (given.startsWith('/') || namesElsewhere(given)) {
    throw new FileError('outside', given, 'not relative to the workspace');
  }
  const windows = platform === 'win32';
  // read as Windows reads it, it must not leave either: a checkout is shared between systems, and so is a habit of models
  if (given.includes('\\') && (given.startsWith('\\') || workOut(given.split(/[\\/]/)) === undefined)) {
    throw new FileError('outside', given, 'leaves the workspace');
  }
  const segments = workOut(given.split(windows ? /[\\/]/ : '/'));
  if (segments === undefined) throw new FileError('outside', given, 'leaves the workspace');
  if (segments.length === 0) throw new FileError('badName', given, 'the workspace folder itself');
  for (const segment of segments) {
    if (isGit(segment)) throw new FileError('reserved', given, segment);
    if (windows && (WINDOWS_DEVICE.test(segment) || WINDOWS_BAD.test(segment))) {
      throw new FileError('badName', given, segment);
    }
  }
  return segments;
}

/** The name means the repository's own folder on some system, however it is spelled. */
export function isGit(segment: string): boolean {
  const plain = segment.normalize('NFKC').replace(INVISIBLE, '').split(':')[0] ?? '';
  return /^(?:\.git|git~\d+)[. ]*$/i.test(plain);
}
