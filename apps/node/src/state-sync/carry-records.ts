/** What a ledger knows about peers outlives its replacement: evidence of misbehaviour, and who was blocked for what. */
import { existsSync } from 'node:fs';
import { createLedgerReader, isSyncedKey, type Ledger } from '@slipstream/ledger';
import type { Telemetry } from '@slipstream/ports';
import { openKeyValue } from '../world/index.ts';

/** As many as an operator is shown. */
const EVIDENCE_MAX = 1000;

/** From the ledger in the folder, if there is one that can be read: a damaged one must not keep a node from joining. */
export async function carryRecords(location: string, to: Ledger, telemetry: Telemetry): Promise<void> {
  if (!existsSync(location)) return;
  try {
    const check = { isSynced: isSyncedKey, onTorn() {} };
    const keyValue = await openKeyValue({ location, check });
    try {
      const from = createLedgerReader(keyValue);
      for (const evidence of await from.evidence(EVIDENCE_MAX)) await to.putEvidence(evidence);
      for (const record of await from.peerBlocks()) await to.putPeerBlock(record);
    } finally {
      await keyValue.close();
    }
  } catch (error) {
    telemetry.log(
      'warn',
      'state sync: evidence and blocked peers known before are lost here: other nodes still show them, block again if needed',
      {
        error: String(error),
      },
    );
  }
}
