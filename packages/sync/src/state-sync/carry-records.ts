import { createLedgerReader, type Ledger, type LedgerReader } from '@slipstream/ledger';
import type { Telemetry } from '@slipstream/ports';
import type { DataFolder } from './data-folder.ts';

/** As many as an operator sees. */
const EVIDENCE_MAX = 1000;

/** What no other node has to serve: evidence, and the records of blocked peers. */
export async function copyRecords(
  from: Pick<LedgerReader, 'evidence' | 'peerBlocks'>,
  to: Pick<Ledger, 'putEvidence' | 'putPeerBlock'>,
): Promise<void> {
  for (const evidence of await from.evidence(EVIDENCE_MAX)) await to.putEvidence(evidence);
  for (const record of await from.peerBlocks()) await to.putPeerBlock(record);
}

/** A damaged ledger must not keep a node from joining. */
export async function carryRecords(
  folder: Pick<DataFolder, 'exists' | 'openLedgerStore'>,
  path: string,
  to: Ledger,
  telemetry: Telemetry,
): Promise<void> {
  if (!(await folder.exists(path))) return;
  try {
    const keyValue = await folder.openLedgerStore(path);
    try {
      await copyRecords(createLedgerReader(keyValue), to);
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
