/** The account directory for the main thread, which judges batches by it: loaded page by page before blocks are executed, then grown with each. */
import { createDirectoryColumns, type DirectoryColumns } from '@slipstream/distilled';
import { REGISTRATION_BYTES, type Registration, registrationsIn } from '@slipstream/execution';

/** 0.5 MB a message. */
export const REGISTRATIONS_PAGE = 4096;

/** `page`: entries from an index on, as the state has them; none at the end. Call before the executor starts. */
export async function loadDirectory(
  height: number,
  page: (from: number) => Promise<Uint8Array | undefined>,
): Promise<DirectoryColumns> {
  const pages: Uint8Array[] = [];
  let size = 0;
  for (let bytes = await page(0); bytes !== undefined; bytes = await page(size)) {
    pages.push(bytes);
    size += bytes.length / REGISTRATION_BYTES;
  }
  const columns = createDirectoryColumns();
  columns.load(height, eachOf(pages));
  return columns;
}

/** One page is decoded at a time: a directory has up to 2^24 entries, and an object each would not fit the heap. */
function* eachOf(pages: readonly Uint8Array[]): Generator<Registration, void> {
  for (const page of pages) yield* registrationsIn(page);
}
