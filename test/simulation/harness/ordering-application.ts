/** Execution is a hash over chain and payload verdicts, the ledger a KeyValue that may crash. Checks and execution take a random time. */
import type { Application, PayloadVerdict, Seal } from '@slipstream/consensus';
import type { KeyValue } from '@slipstream/ports';
import { assert, concatBytes, sha256 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import type { Archive } from '@slipstream/sync';
import {
  asId,
  type Block,
  type BlockId,
  type Certificate,
  type EpochEnd,
  hexOf,
  type StateDigest,
} from '@slipstream/types';
import { createArchive, putsOf } from './ordering-ledger.ts';
import type { PayloadsOfNode } from './payloads.ts';
import { createSealing, type SealingOptions } from './sealing.ts';
import type { Workload } from './workload.ts';

export interface OrderingOptions {
  /** Default: random bytes, a hash of the ancestry. */
  readonly workload?: Workload;
  /** Ms. */
  readonly checkMsMax: number;
  readonly executeMsMax: number;
  /** One block after another; the duration at a virtual time. Default: in parallel. */
  readonly executeOneByOneMs?: (nowMs: number) => number;
  /** A final block waits for a state certificate of its height or above, as in the pipeline. Default: no wait. */
  readonly commitsCertified?: boolean;
  /** There is always something to include. */
  readonly busy: boolean;
  /** Blocks of an epoch until the next record is sealed. Default: one epoch. */
  readonly sealsEvery?: number;
  /** From here on its digest differs. */
  readonly divergesFrom?: number;
}

export interface OrderingApplication extends Application {
  readonly archive: Archive;
  /** When the block is durable. */
  onCommitted(listener: (block: Block) => void): void;
  /** Missing where execution seals nothing. */
  onSealed?(listener: (seal: Seal) => void): void;
}

function digestOf(block: Block, blockId: BlockId, content: Uint8Array, diverges: boolean): StateDigest {
  return asId<StateDigest>(sha256(concatBytes(blockId, block.parentId, content, new Uint8Array([diverges ? 1 : 0]))));
}

const DIGESTS_MAX = 512;

function remember(digests: Map<string, StateDigest>, blockId: BlockId, digest: StateDigest): void {
  digests.set(hexOf(blockId), digest);
  const [oldest] = digests.keys();
  if (digests.size > DIGESTS_MAX && oldest !== undefined) digests.delete(oldest);
}

export function createOrderingApplication(
  world: NodeWorld,
  ledger: KeyValue,
  payloads: PayloadsOfNode,
  options: OrderingOptions,
  epochs: Omit<SealingOptions, 'everyBlocks'>,
): OrderingApplication {
  const { clock, random } = world;
  const listeners: ((block: Block) => void)[] = [];
  const digests = new Map<string, StateDigest>();
  const certifiedDigests = new Map<string, StateDigest>();
  const sealed: ((seal: Seal) => void)[] = [];
  const everyBlocks = options.sealsEvery ?? Number.POSITIVE_INFINITY;
  const sealing = createSealing({ everyBlocks, ...epochs }, (seal) => {
    for (const listener of sealed) listener(seal);
  });
  const ends = new Map<number, EpochEnd>();
  let writing: Promise<void> = Promise.resolve();
  let executing: Promise<void> = Promise.resolve();
  const uncertified: Parameters<Application['finalized']>[] = [];
  let certifiedHeight = options.commitsCertified ? 0 : Number.POSITIVE_INFINITY;

  /** When the own digest or the committee's arrives. */
  function compare(blockId: BlockId, height: number): void {
    const own = digests.get(hexOf(blockId));
    const committees = certifiedDigests.get(hexOf(blockId));
    if (own && committees && hexOf(own) !== hexOf(committees)) {
      world.exit(`diverged: another state digest than the committee's at height ${height}`);
    } else if (own && committees) sealing.agreed(height);
  }

  function sleep(msMax: number): Promise<void> {
    return new Promise((resolve) => clock.after(random.unit() * msMax, resolve));
  }

  function work(): Promise<void> {
    const { executeOneByOneMs } = options;
    if (executeOneByOneMs === undefined) return sleep(options.executeMsMax);
    executing = executing.then(
      () => new Promise((resolve) => clock.after(executeOneByOneMs(clock.monotonicMs()), resolve)),
    );
    return executing;
  }

  async function write(blockId: BlockId, block: Block, certificate: Certificate): Promise<void> {
    await payloads.content(blockId, block);
    const end = block.next === undefined ? undefined : ends.get(block.epoch);
    assert(
      block.next === undefined || end !== undefined,
      'the end of an epoch is written before its boundary is committed',
    );
    const puts = putsOf(blockId, { block, certificate }, end);
    await ledger.batch([...(await payloads.commitOf(block)), ...puts], { sync: true });
    payloads.committed(blockId, block);
    for (const listener of listeners) listener(block);
  }

  function commitCertified(): void {
    for (let next = uncertified[0]; next && next[1].height <= certifiedHeight; next = uncertified[0]) {
      const final = next;
      uncertified.shift();
      writing = writing.then(() => write(...final)).catch((error) => world.exit(String(error)));
    }
  }

  return {
    onCommitted(listener) {
      listeners.push(listener);
    },
    onSealed(listener) {
      sealed.push(listener);
    },
    moved(end) {
      ends.set(end.block.epoch, end);
      sealing.moved(end.block);
    },
    async buildPayload(request) {
      await sleep(options.checkMsMax);
      return await payloads.build(request);
    },
    async checkPayload(blockId, block, signal): Promise<PayloadVerdict> {
      const verdict = await payloads.check(blockId, block, signal);
      await sleep(options.checkMsMax);
      return verdict;
    },
    async execute(blockId, block) {
      const content = await payloads.content(blockId, block);
      await work();
      const diverges = block.height >= (options.divergesFrom ?? Number.POSITIVE_INFINITY);
      const held = block.payload.map(async ({ chunkId }) => (await payloads.get(chunkId)) as Uint8Array);
      const digest =
        (await options.workload?.execute(blockId, block, await Promise.all(held))) ??
        digestOf(block, blockId, content, diverges);
      remember(digests, blockId, digest);
      compare(blockId, block.height);
      return digest;
    },
    finalized(...final) {
      uncertified.push(final);
      commitCertified();
    },
    certified({ subject }) {
      certifiedHeight = Math.max(certifiedHeight, subject.height);
      commitCertified();
      remember(certifiedDigests, subject.blockId, subject.stateDigest);
      compare(subject.blockId, subject.height);
    },
    hasPending: () => payloads.hasPending(),
    archive: createArchive(ledger, payloads),
  };
}
