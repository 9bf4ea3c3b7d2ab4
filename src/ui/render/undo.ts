/** The call that would take an effect back, in words. Pure. */
import type { UndoCall } from '../../core/run/compensable';
import { oneLine } from './words';

/** `run_command: npm run clean`; `mcp.shop.cancel: {"id":7}` */
export function undoWords({ tool, args }: UndoCall): string {
  const command: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, 'command') : undefined;
  const what = typeof command === 'string' ? command : (JSON.stringify(args) ?? '');
  return `${tool}: ${oneLine(what, 300)}`;
}
