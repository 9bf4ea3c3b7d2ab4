/** Settings that stand where they have no effect. Pure. */

/** Ids of settings of ours in the text of a settings file or a `.code-workspace`. */
export function settingsIn(text: string): string[] {
  const code = text.replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(/(?:^|[{,])\s*"(holdfast\.[\w.]+)"\s*:/gm)].flatMap(([, key]) => key ?? []);
}

/** undefined: there are none. */
export function ignoredWords(keys: readonly string[]): string | undefined {
  const all = [...new Set(keys)];
  if (all.length === 0) return undefined;
  const have = all.length === 1 ? 'stands in this workspace and has' : 'stand in this workspace and have';
  return `${all.join(', ')} ${have} no effect: a workspace may not decide what the agent may do. Set it in your user settings.`;
}
