import type { DirectoryColumns } from '@slipstream/distilled';
import { registrationBytes } from '@slipstream/execution';
import { loadDirectory, REGISTRATIONS_PAGE } from '../../../../apps/node/src/executor/directory-table.ts';
import type { ValidatorSetting } from '../validator.ts';
import type { OpenedStores } from './stores.ts';

/** As openExecutor does. */
export async function openDirectory(
  { chain }: ValidatorSetting,
  { state }: OpenedStores,
  height: number,
): Promise<DirectoryColumns | undefined> {
  if (chain.distilled === undefined) return undefined;
  return loadDirectory(height, async (from) => {
    const bytes = registrationBytes({ get: ({ bytes: key }) => state.get(key) }, from, REGISTRATIONS_PAGE);
    return bytes.length === 0 ? undefined : bytes;
  });
}
