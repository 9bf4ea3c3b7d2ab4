/** Texts that mean something on this machine alone, and what is written for them into a file for another one. */
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type LocalWord, NOT_KEPT_KEY } from '../../core/transfer/archive';
import { isRecord } from '../store/document';

/** Shorter values of settings are words of any text. */
const SHORT = 8;

const real = (dir: string): string => {
  try {
    return realpathSync(dir);
  } catch {
    return dir;
  }
};

/** A folder as a path, with `/`, and as a URL. */
export function folderWords(dir: string, instead: string): LocalWord[] {
  const spellings = [dir, real(dir)].flatMap((one) => [one, one.replaceAll('\\', '/'), pathToFileURL(one).href]);
  return [...new Set(spellings)].map((text) => ({ text, instead }));
}

/** The address of a service; its host alone too, which is what messages name. */
export function addressWords(address: string | undefined, instead: string): LocalWord[] {
  if (address === undefined) return [];
  const words = [address, address.replace(/\/+$/, '')];
  try {
    words.push(new URL(address).host);
  } catch {
    // no address at all: it is left out as it stands
  }
  return words.map((text) => ({ text, instead }));
}

export const keyWords = (key: string | undefined): LocalWord[] =>
  key === undefined || key === '' ? [] : [{ text: key, instead: NOT_KEPT_KEY, always: true }];

/** Of `holdfast.mcp.servers`: commands, addresses, and the values of environment and headers. */
export function serverWords(setting: unknown): LocalWord[] {
  if (!isRecord(setting)) return [];
  return Object.entries(setting).flatMap(([name, entry]): LocalWord[] => {
    if (!isRecord(entry)) return [];
    const instead = `<MCP server ${name}>`;
    const { command, args, url, env, headers } = entry;
    const texts = (value: unknown): string[] =>
      Object.values(isRecord(value) ? value : {}).filter((one) => typeof one === 'string');
    const line = typeof command === 'string' ? [command, ...(Array.isArray(args) ? args.map(String) : [])] : [];
    const lines = [line.join(' '), ...line.filter((word) => /[\\/]/.test(word))];
    const values = [...texts(env), ...texts(headers)];
    const long = ({ length }: string): boolean => length >= SHORT;
    return [
      ...addressWords(typeof url === 'string' ? url : undefined, instead),
      ...lines.filter(long).map((text) => ({ text, instead })),
      ...values.filter(long).map((text): LocalWord => ({ text, instead: NOT_KEPT_KEY, always: true })),
    ];
  });
}
