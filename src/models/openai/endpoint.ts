/** Where requests go. */
export interface Endpoint {
  baseUrl: string;
  /** Host and port, for messages. */
  host: string;
  /** On this machine: a key is not needed. */
  loopback: boolean;
}

/** Checks `holdfast.openai.baseUrl`. The problem never repeats the value: it may hold a password. */
export function parseEndpoint(baseUrl: string): Endpoint | { problem: string } {
  let url: URL;
  try {
    url = new URL(baseUrl.trim());
  } catch {
    return { problem: 'holdfast.openai.baseUrl is no URL: set it to something like https://host/v1.' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: 'holdfast.openai.baseUrl must begin with https:// or http://.' };
  }
  if (url.username !== '' || url.password !== '') {
    return {
      problem: 'holdfast.openai.baseUrl must hold no user name or password: set the key with "Holdfast: Set API Key".',
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return { problem: 'holdfast.openai.baseUrl must end with its path: remove what follows "?" or "#".' };
  }
  return { baseUrl: url.href.replace(/\/+$/, ''), host: url.host, loopback: isLoopback(url.hostname) };
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])\.?$/i.test(hostname);
}

/** A key as it can stand in a header; undefined: there is none. */
export function cleanKey(key: string | undefined): { key: string | undefined } | { problem: string } {
  const trimmed = key?.trim();
  if (trimmed === undefined || trimmed === '') return { key: undefined };
  // A header with other characters makes `fetch` throw an error that quotes the key.
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    return {
      problem: 'The stored API key holds characters that no key has: set it again with "Holdfast: Set API Key".',
    };
  }
  return { key: trimmed };
}
