/** Execution is a hash over chain and payload verdicts, the ledger a KeyValue that may crash. Checks and execution take a random time. */
import type { Application, PayloadVerdict, Seal } from '@slipstream/consensus';
import type { KeyValue, KeyValueOperation } from '@slipstream/ports';
import { concatBytes, sha256, uint64le, utf8 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import type { Archive } from '@slipstream/sync';
import {
  asId,
  type Block,
  type BlockId,
  blockCodec,
  blockIdOf,
  type Certificate,
  certificateCodec,
  type EpochEnd,
  hexOf,
  type StateDigest,
} from '@slipstream/types';
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

export interface Root {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly certificate: Certificate | undefined;
}

export interface OrderingApplication extends Application {
  readonly archive: Archive;
  /** When the block is durable. */
  onCommitted(listener: (block: Block) => void): void;
  /** Missing where execution seals nothing. */
  onSealed?(listener: (seal: Seal) => void): void;
}

const TIP = utf8('tip');
const heightKey = (height: number) => concatBytes(utf8('h'), uint64le(height).reverse());
const idKey = (id: BlockId) => concatBytes(utf8('i'), id);

interface Entry {
  readonly block: Block;
  readonly certificate: Certificate;
}

function encodeEntry({ block, certificate }: Entry): Uint8Array {
  const blockBytes = blockCodec.encode(block);
  return concatBytes(uint64le(blockBytes.length), blockBytes, certificateCodec.encode(certificate));
}

function readCount(bytes: Uint8Array): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
}

function decodeEntry(bytes: Uint8Array): Entry {
  const length = readCount(bytes);
  const block = blockCodec.decode(bytes.subarray(8, 8 + length));
  const certificate = certificateCodec.decode(bytes.subarray(8 + length));
  if (!block.ok || !certificate.ok) throw new Error('the simulated ledger is damaged');
  return { block: block.value, certificate: certificate.value };
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

/** Undefined: new chain. */
export async function readTip(ledger: KeyValue): Promise<Root | undefined> {
  const tip = await ledger.get(TIP);
  const stored = tip && (await ledger.get(heightKey(readCount(tip))));
  const entry = stored && decodeEntry(stored);
  return entry && { ...entry, blockId: blockIdOf(entry.block) };
}

/** Newest first, down to the first at or before this time. */
export async function readRecent(
  ledger: KeyValue,
  tip: Block,
  downToMs: number,
): Promise<readonly { readonly blockId: BlockId; readonly block: Block }[]> {
  const recent: { blockId: BlockId; block: Block }[] = [];
  for (let at: number = tip.height; at > 0; at--) {
    const stored = await ledger.get(heightKey(at));
    const block = stored && decodeEntry(stored).block;
    if (!block || block.timestampMs < downToMs) break;
    recent.push({ blockId: blockIdOf(block), block });
  }
  return recent;
}

export function createOrderingApplication(
  world: NodeWorld,
  ledger: KeyValue,
  payloads: PayloadsOfNode,
  options: OrderingOptions,
  committees: Pick<SealingOptions, 'first' | 'committeeOf'>,
): OrderingApplication {
  const { clock, random } = world;
  const listeners: ((block: Block) => void)[] = [];
  const digests = new Map<string, StateDigest>();
  const certifiedDigests = new Map<string, StateDigest>();
  const sealed: ((seal: Seal) => void)[] = [];
  const everyBlocks = options.sealsEvery ?? Number.POSITIVE_INFINITY;
  const sealing = createSealing({ everyBlocks, ...committees }, (seal) => {
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
    const bytes = encodeEntry({ block, certificate });
    const puts: KeyValueOperation[] = [
      { type: 'put', key: heightKey(block.height), value: bytes },
      { type: 'put', key: idKey(blockId), value: bytes },
      { type: 'put', key: TIP, value: uint64le(block.height) },
    ];
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
    archive: createArchive(ledger, payloads, ends),
  };
}

function createArchive(ledger: KeyValue, payloads: PayloadsOfNode, ends: ReadonlyMap<number, EpochEnd>): Archive {
  async function entryAt(height: number): Promise<Entry | undefined> {
    const bytes = await ledger.get(heightKey(height));
    return bytes && decodeEntry(bytes);
  }

  return {
    async blockById(id) {
      const bytes = await ledger.get(idKey(id));
      return bytes && decodeEntry(bytes).block;
    },
    async finalizedRange(from, to, limit) {
      const entries: Entry[] = [];
      for (let at = from; at <= to && entries.length < limit; at++) {
        const entry = await entryAt(at);
        if (!entry) break;
        entries.push(entry);
        const end = ends.get(entry.block.epoch);
        if (entry.block.next !== undefined && end !== undefined) return upToEnd(entries, end);
      }
      // The stored certificate may be a descendant's: cut at the last block with its own.
      while (entries.length > 0 && !certifies(entries[entries.length - 1] as Entry)) entries.pop();
      const certificate = entries[entries.length - 1]?.certificate;
      return { blocks: entries.map(({ block }) => block), certificates: certificate ? [certificate] : [] };
    },
    chunkById: (id) => payloads.get(id),
  };
}

/** Of one epoch, with what proves its end. */
function upToEnd(entries: readonly Entry[], { fillers, certificate }: EpochEnd) {
  return { blocks: [...entries.map(({ block }) => block), ...fillers], certificates: [certificate] };
}

function certifies({ block, certificate }: Entry): boolean {
  const { subject } = certificate;
  return subject.kind !== 'nullify' && subject.view === block.view;
}
