/** The ledger's store, opened by the one process that runs on a data folder. */
import { join } from 'node:path';
import { isSyncedKey } from '@slipstream/ledger';
import { DiskError, type KeyValue, silentTelemetry, type Telemetry } from '@slipstream/ports';
import { NodeError } from '../errors.ts';
import { DATA } from '../folder/layout.ts';
import { openKeyValue } from '../world/index.ts';
import { tellingTorn } from './torn-tail.ts';

export interface ExclusiveOptions {
  readonly shared?: boolean;
  readonly isChecked?: boolean;
  readonly telemetry?: Telemetry;
}

/**
 * The ledger's lock file is what keeps two processes off one folder. `shared`: other threads of this one may open it too; `isChecked`:
 * this process has looked at its files before. Throws NodeError `home-in-use`, DiskError `damaged`.
 */
export async function openExclusively(
  folder: string,
  { shared = false, isChecked = false, telemetry = silentTelemetry }: ExclusiveOptions = {},
): Promise<KeyValue> {
  const check = isChecked ? undefined : { isSynced: isSyncedKey, onTorn: tellingTorn(telemetry) };
  try {
    return await openKeyValue({ location: join(folder, DATA.ledger), shared, ...(check && { check }) });
  } catch (cause) {
    // By code: the words of other faults name blocks, the file LOCK, and a path that may lie below a folder "blockchain".
    if (!(cause instanceof DiskError && cause.data.systemCode === 'LEVEL_LOCKED')) throw cause;
    const message =
      `another process runs on ${folder}. Two processes with one validator key would sign twice: stop the other one first ` +
      '(the lock ends with its process).';
    throw new NodeError('home-in-use', message, { folder }, cause);
  }
}
