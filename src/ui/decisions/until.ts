/** Waits for what VS Code tells by no event; false: not within `ms`. */
export async function until(condition: () => boolean, ms: number): Promise<boolean> {
  for (const end = Date.now() + ms; !condition();) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}
