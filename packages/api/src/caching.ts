import { sha256, toHex, utf8 } from '@slipstream/primitives';

/** By id a final block never changes. By height it may, on a recreated development chain, so answers are revalidated. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const REVALIDATE = 'no-cache';

export function immutableHeaders(tag: string, namedByContent: boolean, development: boolean): Record<string, string> {
  return { etag: `"${tag}"`, 'cache-control': namedByContent || !development ? FOR_EVER : REVALIDATE };
}

export function revalidatedHeaders(tag: string): Record<string, string> {
  return { etag: `"${tag}"`, 'cache-control': REVALIDATE };
}

/** RFC 9110, 13.1.2: weak comparison. */
export function matchesTag(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

export function tagOf(content: Uint8Array | string): string {
  return toHex(sha256(typeof content === 'string' ? utf8(content) : content));
}
