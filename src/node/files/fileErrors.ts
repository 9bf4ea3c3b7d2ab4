/** System errors in the words of the `Files` port. */
import { FileError, type FileErrorCode } from '../../core/errors';
import { errnoOf } from '../fs';

const CODES = new Map<string, FileErrorCode>([
  ['ENOENT', 'notFound'],
  ['EACCES', 'permissionDenied'],
  ['EPERM', 'permissionDenied'],
  ['EROFS', 'readOnly'],
  ['EISDIR', 'isDirectory'],
  ['ENOTDIR', 'notDirectory'],
  ['ENOSPC', 'noSpace'],
  ['EDQUOT', 'noSpace'],
  ['EFBIG', 'noSpace'],
  ['EEXIST', 'exists'],
  ['ELOOP', 'loop'],
  ['ENAMETOOLONG', 'badName'],
]);

/** The error as a `FileError` about `path` (a workspace path, never an absolute one). */
export function asFileError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error;
  const errno = errnoOf(error);
  return new FileError(CODES.get(errno) ?? 'other', path, errno || String(error));
}

/** Runs `work`; whatever it throws comes out as a `FileError` about `path`. */
export async function about<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asFileError(error, path);
  }
}
