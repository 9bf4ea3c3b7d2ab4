/** Ids that sort by the time they were made. */
import { v7 } from 'uuid';
import type { Ids } from '../core/ports';

/** Run ids are UUIDs of version 7 (RFC 9562): unique across windows, in order within a process. */
export const nodeIds: Ids = { run: () => v7() };
