import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { DiskError, type KeyValue, type Telemetry } from '@slipstream/ports';
import { NodeError } from '../errors.ts';
import { openSealed, type Watch } from './seals/sealed-level.ts';

interface ExclusiveOptions {
  readonly shared?: boolean;
  readonly isChecked?: boolean;
  readonly telemetry?: Telemetry;
  /** While a node runs on the store. */
  readonly watch?: Watch;
}

/**
 * LevelDB's lock file keeps a second process off. `shared`: other threads open it too; `isChecked`: this process compared the files with
 * their seals. Throws NodeError `home-in-use`, DiskError `damaged`.
 */
export async function openExclusively(folder: string, options: ExclusiveOptions = {}): Promise<KeyValue> {
  try {
    return await openSealed({ location: join(folder, DATA.ledger), ...options });
  } catch (cause) {
    // By code: other messages may contain "lock" in names of files.
    if (!(cause instanceof DiskError && cause.data.systemCode === 'LEVEL_LOCKED')) throw cause;
    const message =
      `another process runs on ${folder}. Two processes with one validator key would sign twice: stop the other one first ` +
      '(the lock ends with its process).';
    throw new NodeError('home-in-use', message, { folder }, cause);
  }
}
