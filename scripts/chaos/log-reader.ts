/** Reads signatures from validators' write-ahead logs, read-only, also while nodes run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATA, HOME } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import { chunkHeaderCodec, proposalCodec, voteCodec } from '@slipstream/types';
import { inspectLog } from '@slipstream/wal';
import type { StatementRecord } from './signed-statements.ts';

/** Skips the torn tail of a running node: the next reading has it whole. Votes on the wire are durable, so not in it. */
export async function readSigned(home: string, validator: number, signed: StatementRecord): Promise<void> {
  const data = join(home, HOME.data);
  if (!existsSync(join(data, DATA.wal))) return;
  const disk = createDisk({ root: data });
  const reading = signed.beginReading();
  let view: number | undefined;
  let chunk: number | undefined;
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
        if (entry.kind !== 'own-certify') view = Math.min(view ?? vote.value.subject.view, vote.value.subject.view);
        break;
      }
      case 'own-proposal': {
        const proposal = proposalCodec.decode(entry.payload);
        if (proposal.ok) signed.proposal('log', validator, proposal.value);
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
  signed.wasRead(validator, reading, { view, chunk });
}
