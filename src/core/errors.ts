/** Errors of the core are values with a `code`; texts for users are made at the surface. */

/** Why a file operation did not happen. `changed`: the bytes on disk were not the expected ones. */
export type FileErrorCode =
  | 'notFound'
  | 'permissionDenied'
  | 'isDirectory'
  | 'notDirectory'
  | 'readOnly'
  | 'outside'
  | 'reserved'
  | 'ambiguous'
  | 'badName'
  | 'noSpace'
  | 'changed'
  | 'exists'
  | 'tooLarge'
  | 'loop'
  | 'other';

/** Thrown by the `Files` port only; `detail` is the system's own word (ENOSPC …) or the names concerned. */
export class FileError extends Error {
  constructor(
    readonly code: FileErrorCode,
    readonly path: string,
    readonly detail = '',
  ) {
    super(`${code}: ${path}${detail ? ` (${detail})` : ''}`);
    this.name = 'FileError';
  }
}

/** The run's own storage cannot be written, or what it holds not be read now: the run stops, and nothing is lost. */
export class StorageError extends Error {
  constructor(
    message: string,
    readonly doing: 'write' | 'read' = 'write',
  ) {
    super(message);
  }
}

/** Why a model request did not end well. Only `rateLimited`, `server`, `network` and `cut` are worth another try. */
export type ModelErrorCode =
  'auth' | 'rateLimited' | 'server' | 'network' | 'cut' | 'badRequest' | 'notConfigured' | 'badPlaybook' | 'other';

export interface ModelError {
  code: ModelErrorCode;
  /** One sentence, free of keys and headers. */
  message: string;
  /** From `Retry-After`, in ms. */
  retryAfterMs?: number;
}

/** Why a command of the human does not apply now. It is an answer, not a failure. */
export interface Refusal {
  refused: true;
  code:
    | 'noRun'
    | 'noFolder'
    | 'untrusted'
    | 'busy'
    | 'final'
    | 'notPaused'
    | 'notHumanControl'
    | 'humanControl'
    | 'noDecision'
    | 'badChoice'
    | 'badArgument'
    | 'notStopping'
    | 'noCommand'
    | 'storage'
    | 'notYet'
    /** Another window has control. */
    | 'elsewhere';
  /** One sentence with the next action. */
  message: string;
}
