/** Reads signatures from validators' write-ahead logs, read-only, also while nodes run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeFolder } from '@slipstream/devnet';
import { DATA, HOME } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import { chunkHeaderCodec, proposalCodec, type Vote, voteCodec } from '@slipstream/types';
import { inspectLog } from '@slipstream/wal';
import type { StatementRecord } from './signed-statements.ts';

type Signing = Pick<NodeFolder, 'name' | 'home'>;

/** Skips the torn tail of a running node: the next reading has it whole. Votes on the wire are durable, so not in it. */
export async function readSigned({ name, home }: Signing, signed: StatementRecord): Promise<void> {
  const data = join(home, HOME.data);
  if (!existsSync(join(data, DATA.wal))) return;
  const disk = createDisk({ root: data });
  const reading = signed.beginReading();
  let view: number | undefined;
  let chunk: number | undefined;
  let epoch = 0;
  for await (const entry of inspectLog(disk, DATA.wal)) {
    if (entry.type === 'gone') view = chunk = undefined; // its content was not read
    if (entry.type !== 'record') continue;
    switch (entry.kind) {
      case 'own-notarize':
      case 'own-nullify':
      case 'own-finalize':
      case 'own-certify': {
        const vote = voteCodec.decode(entry.payload);
        if (!vote.ok) break;
        signed.vote('log', vote.value);
        epoch = checkOrder(name, vote.value, epoch, signed);
        if (entry.kind !== 'own-certify') view = Math.min(view ?? vote.value.subject.view, vote.value.subject.view);
        break;
      }
      case 'own-proposal': {
        const proposal = proposalCodec.decode(entry.payload);
        if (proposal.ok) signed.proposal('log', proposal.value);
        break;
      }
      case 'own-chunk-header': {
        const header = chunkHeaderCodec.decode(entry.payload);
        if (!header.ok) break;
        signed.chunk('log', header.value);
        chunk = Math.min(chunk ?? header.value.sequence, header.value.sequence);
        break;
      }
    }
  }
  signed.wasRead(name, reading, { view, chunk });
}

/** Returns the highest epoch of the votes so far. */
function checkOrder(signer: string, { subject }: Vote, epoch: number, signed: StatementRecord): number {
  if (subject.epoch < epoch && subject.kind !== 'certify') {
    signed.late(
      signer,
      `${subject.kind} of view ${subject.view} in epoch ${subject.epoch}, after a vote of epoch ${epoch}`,
    );
  }
  return Math.max(epoch, subject.epoch);
}
