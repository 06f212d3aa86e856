import { ClientError } from '../errors.ts';
import type { Fetch } from '../request.ts';

/** Answers above `bytesMax` end as ClientError `malformed-answer` before they are in memory; redirections are refused. */
export function boundedFetch(fetch: Fetch, bytesMax: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'error' });
    const chunks = await readBody(response, bytesMax, url);
    const { status, headers } = response;
    return new Response(chunks.length === 0 ? null : new Blob(chunks), { status, headers });
  };
}

async function readBody(response: Response, bytesMax: number, url: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  if (reader === undefined) return chunks;
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw new ClientError('malformed-answer', `the answer of ${url} is above ${bytesMax} bytes`, { url });
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
}
