/** Why a server cannot be used, in one sentence without keys or headers. */
import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

const WORDS: Partial<Record<string, string>> = {
  [SdkErrorCode.RequestTimeout]: 'it did not answer in time.',
  [SdkErrorCode.ConnectionClosed]: 'the connection was closed.',
  [SdkErrorCode.NotConnected]: 'it is not connected.',
};

export function reasonOf(error: unknown): string {
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403))
    return `it asks for a login (HTTP ${error.status}); put the header it wants into holdfast.mcp.servers.`;
  if (error instanceof SdkError) return WORDS[error.code] ?? firstLine(error.message);
  if (error instanceof Error) {
    // `fetch failed` says nothing; its cause does.
    const cause = error.cause instanceof Error ? ` (${firstLine(error.cause.message)})` : '';
    return `${firstLine(error.message)}${cause}`;
  }
  return 'it failed.';
}

/** Nothing was sent: nobody listens there. */
export const isUnreached = (error: unknown): boolean =>
  error instanceof Error &&
  ['ECONNREFUSED', 'ENOTFOUND'].includes(String((error.cause as { code?: unknown } | undefined)?.code));

const firstLine = (text: string): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';
