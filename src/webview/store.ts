/** What the page keeps over a reload: the texts of the human, nothing else. */
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

export const api = acquireVsCodeApi();

export interface Kept {
  text: string;
  /** What the text was written as: a goal never turns into a note by itself. */
  of: 'goal' | 'note';
  drafts: Record<string, string>;
}

export function loadKept(): Kept {
  const stored = api.getState();
  const kept: Kept = { text: '', of: 'goal', drafts: {} };
  if (typeof stored !== 'object' || stored === null) return kept;
  const { text, of, drafts } = stored as Record<string, unknown>;
  if (of === 'note') kept.of = of;
  if (typeof text === 'string') kept.text = text;
  if (typeof drafts === 'object' && drafts !== null) {
    for (const [id, value] of Object.entries(drafts)) if (typeof value === 'string') kept.drafts[id] = value;
  }
  return kept;
}
