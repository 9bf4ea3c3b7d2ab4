/** Which MCP servers of this workspace the human has allowed, each by the fingerprint of its definition. */
import { workspace, type Memento } from 'vscode';
import { serverSettings } from './settings';

const KEY = 'holdfast.mcp.allowed';

export class ServerTrust {
  constructor(private readonly memory: Pick<Memento, 'get' | 'update'>) {}

  isAllowed(name: string, fingerprint: string): boolean {
    return this.all()[name] === fingerprint;
  }

  async allow(name: string, fingerprint: string): Promise<void> {
    await this.memory.update(KEY, { ...this.all(), [name]: fingerprint });
  }

  async revoke(name: string): Promise<void> {
    await this.memory.update(KEY, Object.fromEntries(Object.entries(this.all()).filter(([one]) => one !== name)));
  }

  private all(): Record<string, string> {
    return this.memory.get<Record<string, string>>(KEY, {});
  }
}

interface Questions {
  ask(name: string, what: string, fingerprint: string): void;
}

/** Where servers come from and which may be used, for the composition root. */
export const serverSource = (trust: ServerTrust, questions: Questions) => ({
  ...serverSettings,
  isAllowed: (name: string, fingerprint: string): boolean => trust.isAllowed(name, fingerprint),
  ask: (name: string, what: string, fingerprint: string): void => questions.ask(name, what, fingerprint),
  isTrusted: (): boolean => workspace.isTrusted,
});
