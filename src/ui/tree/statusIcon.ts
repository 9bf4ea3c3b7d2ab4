import type { RunStatus } from '../../core/run/state';
import type { TreeIcon } from './node';

/** The icon of a run in a tree. */
export const STATUS_ICON: Readonly<Record<RunStatus, TreeIcon>> = {
  running: { id: 'loading~spin', color: 'progressBar.background' },
  stopping: { id: 'loading~spin', color: 'list.warningForeground' },
  paused: { id: 'debug-pause' },
  awaitingApproval: { id: 'shield', color: 'list.warningForeground' },
  humanControl: { id: 'person' },
  reconciling: { id: 'sync~spin', color: 'progressBar.background' },
  needsHuman: { id: 'bell-dot', color: 'list.warningForeground' },
  aborted: { id: 'circle-slash' },
  completed: { id: 'pass', color: 'testing.iconPassed' },
  failed: { id: 'error', color: 'testing.iconFailed' },
};
