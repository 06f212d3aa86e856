/** The account directory for the main thread, which judges batches by it: loaded page by page before blocks are committed, then grown with each. */
import { createDirectoryColumns, type DirectoryColumns } from '@slipstream/distilled';
import { type Registration, registrationsIn } from '@slipstream/execution';

/** 0.5 MB a message. */
export const REGISTRATIONS_PAGE = 4096;

/** `page`: entries from an index on, as the state has them; none at the end. Call before the executor starts. */
export async function loadDirectory(
  height: number,
  page: (from: number) => Promise<Uint8Array | undefined>,
): Promise<DirectoryColumns> {
  const registrations: Registration[] = [];
  for (let bytes = await page(0); bytes !== undefined; bytes = await page(registrations.length)) {
    for (const registration of registrationsIn(bytes)) registrations.push(registration);
  }
  const columns = createDirectoryColumns();
  columns.load(height, registrations);
  return columns;
}
