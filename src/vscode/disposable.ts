export interface Disposes {
  dispose(): unknown;
}

/** Base of everything that registers something: what it registered ends with it, in reverse order. */
export class Disposable implements Disposes {
  private readonly owned: Disposes[] = [];
  private ended = false;

  protected get isDisposed(): boolean {
    return this.ended;
  }

  protected _register<T extends Disposes>(owned: T): T {
    if (this.ended) owned.dispose();
    else this.owned.push(owned);
    return owned;
  }

  dispose(): void {
    if (this.ended) return;
    this.ended = true;
    for (const one of this.owned.splice(0).reverse()) one.dispose();
  }
}

/** A handful of disposables as one. */
export class DisposableStore extends Disposable {
  add<T extends Disposes>(owned: T): T {
    return this._register(owned);
  }
}

export const toDisposable = (end: () => void): Disposes => ({ dispose: end });
