/** The page: its elements, what it was last sent, and the human's own texts. Everything else draws from here. */
import type { FromView, SteerState } from '../protocol/steer';
import { typedTexts } from './box';
import { byId } from './dom';
import { api, loadKept } from './store';

export const line = byId('line', HTMLElement);
export const text = byId('text', HTMLTextAreaElement);
export const main = byId('main', HTMLElement);
export const form = byId('form', HTMLFormElement);
export const label = byId('label', HTMLElement);
export const hint = byId('hint', HTMLElement);
export const message = byId('message', HTMLElement);
export const areas = {
  decisions: byId('decisions', HTMLElement),
  actions: byId('actions', HTMLElement),
  send: byId('send', HTMLElement),
  queue: byId('queue', HTMLElement),
  unsent: byId('unsent', HTMLElement),
};

/** Kept over a reload. */
export const kept = loadKept();
export const post = (m: FromView): void => api.postMessage(m);

let told = '[]';
/** The keys and rows outside the page that do the same as a button here know what is typed. */
function tell(): void {
  const texts = typedTexts(kept);
  const now = JSON.stringify(texts);
  if (now !== told) post({ type: 'typed', texts });
  told = now;
}

export function save(): void {
  api.setState(kept);
  tell();
}

/** The last state; undefined: none has come yet. */
export const page: { shown: SteerState | undefined } = { shown: undefined };
