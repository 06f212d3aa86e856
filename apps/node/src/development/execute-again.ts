/**
 * Executes the history of a development chain again, on other programs: the same blocks, at the same heights and times.
 *
 *   blocks, chunks of the old folder --> executor with the new programs --digests--> the one validator certifies --> new folder
 *
 * Consensus agreed on the blocks, not on what they give, so they stay; each certificate of what they gave is made again. That takes the keys of
 * a quorum, which a development chain with one validator has.
 *
 * INVARIANT: the sequences of chunks that the old folder reserved stay reserved in the new one, which has their chunks.
 */
import { createBlsSigner } from '@slipstream/crypto/native';
import { DATA } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import type { Clock, Random, Telemetry } from '@slipstream/ports';
import {
  type Block,
  blockIdOf,
  type Certificate,
  type Finalization,
  type GenesisHash,
  type StateCertificate,
  type Subject,
  subjectMessage,
} from '@slipstream/types';
import { openSignState } from '@slipstream/wal';
import { NodeError } from '../errors.ts';
import { type Executor, openExecutor } from '../executor/executor.ts';
import type { ExecutorSetting } from '../executor/wire.ts';
import { type ChangedReceipt, changedReceipts } from './changed-receipts.ts';
import { type History, openHistory } from './history.ts';

interface Components {
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

interface Again {
  /** With the new programs; its folder has no data yet. */
  readonly setting: ExecutorSetting;
  /** The old data folder, which nothing has open. Nothing in it changes. */
  readonly before: string;
  /** Of the only validator. */
  readonly secretKey: Uint8Array;
}

export interface ExecutedAgain {
  readonly blocks: number;
  readonly transactions: number;
  /** Blocks from the end of the first epoch on, which are not executed again: what ends an epoch follows from the state. */
  readonly left: number;
  readonly changedCount: number;
  /** The first 200 of them. */
  readonly changed: readonly ChangedReceipt[];
}

/** Blocks that execute while the first of them is not committed. */
const UNDER_WAY_MAX = 32;

/** Throws NodeError `node-failed`; RemoteError with what a new program does not open with, such as a failing genesis function. */
export async function executeAgain(components: Components, again: Again): Promise<ExecutedAgain> {
  const { setting, before } = again;
  const { genesisHash, folder } = setting;
  const history = await openHistory(before, genesisHash, components);
  try {
    const blocks = await replay(components, history, again);
    await keepChunkMark(before, folder, genesisHash);
    const now = await openHistory(folder, genesisHash, components);
    try {
      return { blocks, left: history.height - blocks, ...(await changedReceipts(history, now, blocks)) };
    } finally {
      await now.close();
    }
  } finally {
    await history.close();
  }
}

/** Returns the height up to which blocks are committed again. */
async function replay(
  { clock, telemetry }: Components,
  history: History,
  { setting, secretKey }: Again,
): Promise<number> {
  const failing = Promise.withResolvers<never>();
  failing.promise.catch(() => {}); // each wait below has it
  const payloadOf = (_: unknown, block: Block) => history.payloadOf(block);
  const executor = await openExecutor({ clock, telemetry, payloadOf, fail: failing.reject }, setting);
  executor.onHalted(({ message }) => failing.reject(new NodeError('node-failed', message)));
  const sign = signerOf(setting.genesisHash, secretKey);
  const committed = committedHeights(executor);
  try {
    executor.start();
    let height = 0;
    while (height < history.height) {
      const block = await history.block(height + 1);
      if (block.next !== undefined) break;
      height += 1;
      order(executor, block, sign);
      await Promise.race([committed.reached(height - UNDER_WAY_MAX), failing.promise]);
    }
    await Promise.race([committed.reached(height), failing.promise]);
    return height;
  } finally {
    await executor.stop();
  }
}

type Sign = <S extends Subject>(subject: S) => Certificate<S>;

function order(executor: Executor, block: Block, sign: Sign): void {
  const blockId = blockIdOf(block);
  const { epoch, view, height } = block;
  const digested = executor.execute(blockId, block);
  const finalization: Finalization = sign({ kind: 'finalize', epoch, view, blockId });
  executor.finalized(blockId, block, finalization);
  void digested.then((stateDigest) => {
    const certificate: StateCertificate = sign({ kind: 'certify', epoch, view, height, blockId, stateDigest });
    executor.certified(certificate);
  });
}

function signerOf(genesisHash: GenesisHash, secretKey: Uint8Array): Sign {
  const signer = createBlsSigner(secretKey);
  return (subject) => {
    const aggregate = signer.signCompressed(subjectMessage(genesisHash, subject));
    return { subject, signers: [0], aggregate };
  };
}

function committedHeights(executor: Executor) {
  let committed = 0;
  let waiting = Promise.withResolvers<void>();
  executor.onCommitted(({ block }) => {
    committed = block.height;
    waiting.resolve();
    waiting = Promise.withResolvers();
  });
  return {
    async reached(height: number): Promise<void> {
      while (committed < height) await waiting.promise;
    },
  };
}

/** The new folder has no log, and has signed nothing above its ledger. */
async function keepChunkMark(before: string, folder: string, genesisHash: GenesisHash): Promise<void> {
  const options = { path: DATA.signState, genesisHash };
  const { chunkMark } = await openSignState({ disk: createDisk({ root: before }) }, options);
  const signState = await openSignState({ disk: createDisk({ root: folder }) }, options);
  await signState.recover({ mark: 0, chunkMark, nullifies: false });
}
