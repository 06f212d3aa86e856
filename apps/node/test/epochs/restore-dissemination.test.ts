/** A start with a log that is ahead of the ledger: chunks of both epochs are restored (I6, D18), and ends are those of the blocks (D14). */
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type Epoch,
  type EpochRecord,
  type GenesisHash,
  genesisBlock,
  type Height,
  type RecordHash,
  recordOfGenesis,
  view,
} from '@slipstream/types';
import type { WalRecord } from '@slipstream/wal';
import { describe, expect, it } from 'vitest';
import { epochRecord } from '../../../../packages/consensus/src/records.ts';
import { testChain } from '../../../../packages/execution/test/session-world.ts';
import { restoreDissemination } from '../../src/assembly/dissemination.ts';
import { createNodeEpochs } from '../../src/epochs/node-epochs.ts';

const first = recordOfGenesis(testChain('restore-dissemination').genesis);
const second: EpochRecord = { ...first, epoch: 1 as Epoch };
const boundary: Block = {
  ...genesisBlock(asId<GenesisHash>(new Uint8Array(32)), 1_000),
  height: 70 as Height,
  timestampMs: 5_000,
  next: asId<RecordHash>(new Uint8Array(32).fill(1)),
};
const blockId = blockIdOf(boundary);
type LogRecord = { readonly kind: WalRecord['kind']; readonly payload: Uint8Array };

const noKeys = { blsKeys: [], networkKeys: [] };

function beginning(record: EpochRecord): LogRecord {
  const subject = { kind: 'finalize', epoch: boundary.epoch, view: view(boundary.view), blockId } as const;
  const certificate = { subject, signers: [0], aggregate: new Uint8Array(96) };
  const seal = { recordHash: boundary.next as RecordHash, height: 60, record };
  return epochRecord({ seal, end: { blockId, block: boundary, fillers: [], certificate } });
}

async function* asLog(records: readonly LogRecord[]): AsyncIterable<WalRecord> {
  for (const [at, record] of records.entries()) yield { ...record, sequence: at + 1 } as unknown as WalRecord;
}

/** Restores with a log that holds a chunk from before the move. Returns the calls of dissemination, in order. */
async function restoredWith(
  epochs: ReturnType<typeof createNodeEpochs>,
  log: readonly LogRecord[],
  blocks: readonly Block[] = [],
): Promise<readonly string[]> {
  const calls: string[] = [];
  const dissemination = {
    sealed: (record: EpochRecord) => calls.push(`sealed ${record.epoch}`),
    restoreChunk: () => calls.push('chunk') > 0,
    restoreOwnHeader: () => calls.push('header') > 0,
    committed: (_: BlockId, block: Block) =>
      calls.push(`committed ${block.height}, ended ${epochs.endedMs(0 as Epoch)}`),
    restored: () => calls.push('restored'),
  };
  const ledger = {
    tip: async () => undefined,
    recentBlocks: async () => blocks.map((block) => ({ blockId: blockIdOf(block), block, executedIds: [] })),
  };
  const records = { [Symbol.asyncIterator]: () => asLog(log)[Symbol.asyncIterator]() };
  await restoreDissemination(dissemination as never, { ledger, log: { records } } as never, epochs, 60_000);
  return calls;
}

const CHUNK = { kind: 'chunk', payload: new Uint8Array(1) } as const;

describe('the restoring of dissemination', () => {
  it('knows the sealed epoch of the state before it reads the chunks of the log', async () => {
    const epochs = createNodeEpochs(noKeys, [first, second], 0 as Epoch);
    expect(await restoredWith(epochs, [CHUNK])).toEqual(['sealed 1', 'chunk', 'restored']);
  });

  it('takes chunks of an epoch that only the log knows', async () => {
    const epochs = createNodeEpochs(noKeys, [first], 0 as Epoch);
    const calls = await restoredWith(epochs, [beginning(first), CHUNK, beginning(second)]);
    expect(calls).toEqual(['chunk', 'sealed 1', 'chunk', 'restored']);
    expect(epochs.next()).toEqual(second);
  });

  it('reads the log once where it knows no later epoch', async () => {
    const epochs = createNodeEpochs(noKeys, [first, second], 1 as Epoch);
    expect(await restoredWith(epochs, [beginning(second), CHUNK])).toEqual(['chunk', 'restored']);
  });

  it('knows when the last epoch ended from the block that ended it, before it judges by that', async () => {
    const epochs = createNodeEpochs(noKeys, [first, second], 1 as Epoch);
    const below = { ...boundary, height: 69 as Height, next: undefined };
    const calls = await restoredWith(epochs, [], [below, boundary]);
    expect(calls).toEqual(['committed 69, ended 5000', 'committed 70, ended 5000', 'restored']);
  });
});
