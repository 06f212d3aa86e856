/** What a closed data folder tells of its chain: blocks, their chunks, their receipts. */
import { openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import type { Random, Telemetry } from '@slipstream/ports';
import { assert, concatBytes } from '@slipstream/primitives';
import {
  type Block,
  chunkBodyCodec,
  type GenesisHash,
  type Receipt,
  receiptCodec,
  signedChunkCodec,
  transactionIdInBytes,
} from '@slipstream/types';
import { createCommittedTransactions, type TransactionOf } from '../backend/committed-transactions.ts';
import { type SuppliedChunk, verdictByte } from '../executor/wire.ts';
import { openChunks } from '../storage/chunk-store.ts';
import { closeAll } from '../storage/close-all.ts';
import { openExclusively } from '../storage/exclusive-ledger.ts';
import { decodeOwn } from '../threads/decode-own.ts';

export interface History {
  /** 0: genesis. */
  readonly height: number;
  /** Committed, above 0. */
  block(height: number): Promise<Block>;
  /** Of a committed block. */
  payloadOf(block: Block): Promise<readonly SuppliedChunk[]>;
  receipts(height: number): Promise<readonly Receipt[]>;
  readonly transactionOf: TransactionOf;
  close(): Promise<void>;
}

interface Components {
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/** `folder`: a data folder that nothing has open. Throws NodeError `home-in-use`, DiskError. */
export async function openHistory(
  folder: string,
  genesisHash: GenesisHash,
  { random, telemetry }: Components,
): Promise<History> {
  const keyValue = await openExclusively(folder, { telemetry });
  const files = { disk: createDisk({ root: folder }), random, directory: DATA.blockFiles };
  const ledger = await openLedger({ keyValue, files, telemetry }, { genesisHash });
  const chunks = await openChunks(folder, genesisHash, { random, telemetry });
  return {
    height: (await ledger.tip())?.height ?? 0,
    async block(height) {
      const found = await ledger.block({ height });
      assert(found !== undefined, 'a ledger from which nothing is pruned has each height up to its tip');
      return found.block;
    },
    payloadOf: ({ payload }) =>
      Promise.all(
        payload.map(async ({ chunkId }) => {
          const bytes = await chunks.get(chunkId);
          assert(bytes !== undefined, 'an archive has the chunks of its blocks');
          return suppliedAgain(bytes);
        }),
      ),
    async receipts(height) {
      const receipts = (await ledger.receipts(height)) ?? [];
      return receipts.map((bytes) => decodeOwn(receiptCodec.decode(bytes)));
    },
    transactionOf: createCommittedTransactions(chunks, ledger),
    close: () => closeAll([ledger, chunks]),
  };
}

/** The one validator packed the chunk itself, so it checked the signatures before. Its chain has no distilled batches. */
function suppliedAgain(bytes: Uint8Array): SuppliedChunk {
  const { transactions, batches } = decodeOwn(chunkBodyCodec.decode(decodeOwn(signedChunkCodec.decode(bytes)).body));
  assert(batches.length === 0, 'a chain without a directory has no distilled batches');
  return {
    bytes,
    verdicts: new Uint8Array(transactions.length).fill(verdictByte('good')),
    ids: concatBytes(...transactions.map(transactionIdInBytes)),
    batches: new Uint8Array(0),
  };
}
