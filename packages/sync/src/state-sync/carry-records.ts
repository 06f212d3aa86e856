import { createLedgerReader, type Ledger, type LedgerReader } from '@slipstream/ledger';
import type { Telemetry } from '@slipstream/ports';
import { type EpochRecord, epoch as epochOf, GENESIS_EPOCH, type Handover } from '@slipstream/types';
import type { DataFolder } from './data-folder.ts';

/** As many as an operator sees. */
const EVIDENCE_MAX = 1000;
const HANDOVERS_READ = 64;
const EPOCHS_WRITTEN = 16;

/** What no other node has to serve: evidence, and the records of blocked peers. */
export async function copyRecords(
  from: Pick<LedgerReader, 'evidence' | 'peerBlocks'>,
  to: Pick<Ledger, 'putEvidence' | 'putPeerBlock'>,
): Promise<void> {
  for (const evidence of await from.evidence(EVIDENCE_MAX)) await to.putEvidence(evidence);
  for (const record of await from.peerBlocks()) await to.putPeerBlock(record);
}

/** Up to the first that is missing: those that this node had followed before, and did not fetch. */
async function copyEpochs(
  from: Pick<LedgerReader, 'record' | 'handover'>,
  to: Pick<Ledger, 'putEpochs' | 'handover'>,
): Promise<void> {
  const part: { readonly record: EpochRecord; readonly handover: Handover | undefined }[] = [];
  for (let at = GENESIS_EPOCH, record = await from.record(at); record !== undefined; record = await from.record(at)) {
    part.push({ record, handover: (await to.handover(at)) ?? (await from.handover(at)) });
    at = epochOf(at + 1);
    if (part.length === EPOCHS_WRITTEN) await to.putEpochs(part.splice(0));
  }
  if (part.length > 0) await to.putEpochs(part);
}

/**
 * The newest epoch that the ledger's handovers lead to from genesis, from where a joining node follows those of others. Undefined: it has no
 * records.
 */
export async function newestLinkedRecord(
  ledger: Pick<LedgerReader, 'record' | 'handovers'>,
): Promise<EpochRecord | undefined> {
  let at = GENESIS_EPOCH;
  for (let found = HANDOVERS_READ; found === HANDOVERS_READ; at = epochOf(at + found)) {
    found = (await ledger.handovers(at, HANDOVERS_READ)).length;
  }
  return ledger.record(at);
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
      const from = createLedgerReader(keyValue);
      await copyEpochs(from, to);
      await copyRecords(from, to);
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
