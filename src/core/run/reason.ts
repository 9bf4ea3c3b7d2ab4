/** Why a run stands where it stands, for code; what people read is beside it. */
export type ReasonCode =
  | 'human'
  | 'interrupted'
  | 'playbook'
  | 'expired'
  | 'model'
  | 'auth'
  | 'limit'
  | 'guard'
  | 'stepFailed'
  | 'storage'
  | 'world'
  | 'conflict'
  | 'fork'
  | 'imported'
  | 'error';
