/** Keys: in VS Code's SecretStorage and nowhere else. */
import type { SecretStorage } from 'vscode';
import { SECRETS } from './ids';

export class Keys {
  constructor(private readonly storage: SecretStorage) {}

  openai(): Promise<string | undefined> {
    return Promise.resolve(this.storage.get(SECRETS.openai));
  }

  /** An empty key removes it. */
  async setOpenai(key: string): Promise<void> {
    await (key === '' ? this.storage.delete(SECRETS.openai) : this.storage.store(SECRETS.openai, key));
  }
}
