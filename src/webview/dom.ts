/** Making elements. Data goes in as text nodes only. */

type Attributes = Readonly<Record<string, string | boolean>>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, '');
    else if (value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

export function button(
  label: string,
  press: () => void,
  options: { primary?: boolean; title?: string; name: string },
): HTMLButtonElement {
  const made = el('button', {
    type: 'button',
    class: options.primary ? 'primary' : 'secondary',
    'data-name': options.name,
  });
  if (options.title !== undefined) made.title = options.title;
  made.textContent = label;
  made.addEventListener('click', press);
  return made;
}

export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * Puts new children in place of the old ones and keeps the keyboard where it was: the element with the same `data-name`
 * gets the focus back, with what was typed into a field.
 */
export function replace(parent: HTMLElement, children: readonly Node[]): void {
  const active = document.activeElement;
  const name = active instanceof HTMLElement && parent.contains(active) ? active.dataset['name'] : undefined;
  parent.replaceChildren(...children);
  if (name === undefined) return;
  const again = [...parent.querySelectorAll<HTMLElement>('[data-name]')].find((one) => one.dataset['name'] === name);
  again?.focus();
}
