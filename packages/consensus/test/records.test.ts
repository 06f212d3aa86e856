import { blockIdOf, GENESIS_EPOCH } from '@slipstream/types';
import type { RecordKind, WalRecord } from '@slipstream/wal';
import { describe, expect, it } from 'vitest';
import { restoredOf, restoreFrom } from '../src/index.ts';
import { blockRecord, certificateRecord, proposalRecord, voteRecord } from '../src/records.ts';
import {
  blockOn,
  certificateOf,
  certify,
  finalize,
  GENESIS,
  notarize,
  nullify,
  proposalOf,
  voteOf,
} from './core-world.ts';

async function* asLog(
  records: readonly { readonly kind: RecordKind; readonly payload: Uint8Array }[],
): AsyncGenerator<WalRecord> {
  for (const [index, record] of records.entries()) yield { ...record, sequence: index + 1 } as WalRecord;
}

describe('log records', () => {
  const block = blockOn(GENESIS, 1, 0);
  const child = blockOn(block, 2, 1);
  const votes = [notarize(block), finalize(block), nullify(2), certify(block)].map((subject) => voteOf(subject, 3));
  const proposals = [
    proposalOf('optimistic', child),
    proposalOf('normal', child, [certificateOf(notarize(block), [0, 1, 2])]),
  ];
  const certificates = [certificateOf(notarize(block), [0, 1, 2]), certificateOf(certify(block), [1, 2, 3])];

  it('are read back as written, in order, with the blocks of own proposals', async () => {
    const log = [
      ...votes.map(voteRecord),
      ...proposals.map(proposalRecord),
      ...certificates.map(certificateRecord),
      blockRecord(block),
    ];
    const restored = restoredOf(await restoreFrom(asLog(log), GENESIS_EPOCH), GENESIS_EPOCH);
    expect(restored.votes).toEqual(votes);
    expect(restored.proposals).toEqual(proposals);
    expect(restored.certificates).toEqual(certificates);
    expect(restored.blocks.map(({ blockId }) => blockId)).toEqual([blockIdOf(child), blockIdOf(block)]);
  });

  it('that do not decode cause an error that names the record, and are never skipped', async () => {
    const log = asLog([{ kind: 'own-notarize', payload: new Uint8Array(5) }]);
    await expect(restoreFrom(log, GENESIS_EPOCH)).rejects.toThrow('log record 1 (own-notarize) cannot be read');
  });

  it('of other packages are skipped', async () => {
    const log = asLog([{ kind: 'chunk', payload: new Uint8Array(5) }, voteRecord(votes[0] as (typeof votes)[number])]);
    expect(restoredOf(await restoreFrom(log, GENESIS_EPOCH), GENESIS_EPOCH).votes).toHaveLength(1);
  });
});
