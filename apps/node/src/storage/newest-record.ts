import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLedgerReader } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import type { Telemetry } from '@slipstream/ports';
import { type EpochRecord, type Genesis, recordOfGenesis } from '@slipstream/types';
import { openExclusively } from './exclusive-ledger.ts';

/** Of the last committed boundary, or of genesis. Nothing else has the folder open. Throws DiskError `damaged`. */
export async function newestRecord(folder: string, genesis: Genesis, telemetry?: Telemetry): Promise<EpochRecord> {
  const first = recordOfGenesis(genesis);
  if (!existsSync(join(folder, DATA.ledger))) return first;
  const keyValue = await openExclusively(folder, telemetry && { telemetry });
  try {
    const ledger = createLedgerReader(keyValue);
    const epoch = await ledger.latestEpoch();
    return (epoch === undefined ? undefined : await ledger.record(epoch)) ?? first;
  } finally {
    await keyValue.close();
  }
}

/** Time of the newest committed block, or of genesis, and its epoch. Nothing else has the folder open. Throws DiskError `damaged`. */
export async function newestKnown(
  folder: string,
  genesis: Genesis,
): Promise<{ readonly sinceMs: number; readonly epoch: number }> {
  const none = { sinceMs: genesis.timestampMs, epoch: 0 };
  if (!existsSync(join(folder, DATA.ledger))) return none;
  const keyValue = await openExclusively(folder);
  try {
    const tip = await createLedgerReader(keyValue).block('latest');
    return tip === undefined ? none : { sinceMs: tip.block.timestampMs, epoch: tip.block.epoch };
  } finally {
    await keyValue.close();
  }
}
