/**
 * The ledger: blocks, receipts and certificates of the committed chain, over a key-value store and files.
 *
 *   putBlock ----> commit          the body to the files, synced, by block id; then one synced batch
 *       \---> forgetBlock          for a rival that lost (P3)
 *
 * putBlock writes the large values (bodies.ts) before it is known whether the block is final. commit is one small synced batch with the block,
 * the place of its body and the tip, so a reader sees a block whole or not at all (P1), also after a crash. A body without a commit is out of
 * reach: the pipeline executes its block again if needed, and its file goes with the others of its height.
 *
 * A store has one writer, which runs its calls one after another.
 */
import { BODIES, openChunkFiles } from '@slipstream/chunk-files';
import type { Disk, KeyValue, KeyValueOperation, Random, Telemetry } from '@slipstream/ports';
import { assert, bytesEqual, fromHex, sha256, to0x } from '@slipstream/primitives';
import {
  type BlockId,
  type Certificate,
  type EpochRecord,
  type Evidence,
  type GenesisHash,
  type Handover,
  type Hex,
  height,
  hexOf,
} from '@slipstream/types';
import { indexKeysOf, indexOperations } from './block-index.ts';
import { type Body, type BodyWriter, bodyIn, packBody, STORE_BYTES_MAX } from './bodies.ts';
import { stateCertificateUpTo } from './certificate-reads.ts';
import { latestEpoch } from './epoch-reads.ts';
import { LedgerError } from './errors.ts';
import { deriveHandover, handoverAt } from './handovers.ts';
import { keyOf, metaKey } from './keys.ts';
import { createNewestBlocksIndex, type NewestBlocksIndex } from './newest-blocks.ts';
import { checkOwner } from './owner.ts';
import { createPlaces, placeKey } from './places.ts';
import { pruneOperations } from './prune.ts';
import { type LedgerReader, readerOf } from './reader.ts';
import { evidenceCodec, type LedgerTip, type PeerBlockRecord, peerBlockCodec, tipCodec } from './records.ts';
import { bodyKey, createSealedStore, putSealed, type SealedStore } from './sealed-store.ts';
import { checkUnbroken } from './unbroken.ts';
import {
  assertSeal,
  type CommitSeal,
  certificateOperations,
  commitOperations,
  type ExecutedBlock,
  epochOperations,
  handoverOperation,
  type NamedBlock,
} from './write-operations.ts';

export interface Ledger extends LedgerReader {
  /** Its body is durable when the promise resolves, where there are files. Nothing of it is visible before commit. Idempotent. */
  putBlock(executed: ExecutedBlock): Promise<void>;
  /** Removes a block that was put and not committed; an unknown one is ignored. */
  forgetBlock(blockId: BlockId): Promise<void>;
  /** Throws LedgerError `unknown-block`, or `out-of-order` when the block does not follow the tip. */
  commit(blockId: BlockId, seal: CommitSeal): Promise<void>;
  /**
   * Writes the first block of an empty ledger, at any height, for a node that took over the state of that height or a higher one. Sealed like a
   * commit. Throws LedgerError `out-of-order` when the ledger is not empty.
   */
  begin(executed: ExecutedBlock, seal: CommitSeal): Promise<void>;
  /**
   * Stores verified certificates by view, those of committed states also by height, with the handovers that they show. Not synced: they can be
   * fetched again.
   */
  putCertificates(certificates: readonly Certificate[]): Promise<void>;
  /** Of earlier epochs, verified. Synced. */
  putEpochs(epochs: readonly PastEpoch[]): Promise<void>;
  putEvidence(evidence: Evidence): Promise<void>;
  putPeerBlock(record: PeerBlockRecord): Promise<void>;
  /** Removes committed blocks below `height`, except the last 60 s of block time. Returns their number. */
  pruneBelow(height: number): Promise<number>;
  close(): Promise<void>;
}

interface PastEpoch {
  readonly record: EpochRecord;
  /** Of this epoch to the next. */
  readonly handover: Handover | undefined;
}

interface LedgerComponents {
  /** The ledger closes it. */
  readonly keyValue: KeyValue;
  /** Of bodies. Undefined: the store holds them itself, as in a short or a staged ledger. */
  readonly files?: LedgerFiles | undefined;
  readonly telemetry: Telemetry;
}

export interface LedgerFiles {
  readonly disk: Disk;
  readonly random: Random;
  readonly directory: string;
  /** Of a body that is in the store itself. */
  readonly storeBytesMax?: number;
  readonly segmentBytesMax?: number;
}

/** What commit needs; a body in the files may have megabytes. */
interface UncommittedBlock extends NamedBlock {
  readonly receipts: number;
  readonly indexKeys: Float64Array;
  /** The body, or its place. */
  readonly body: KeyValueOperation;
}

interface LedgerOptions {
  readonly genesisHash: GenesisHash;
}

/**
 * Opens or creates the ledger of a chain. Throws LedgerError `foreign`, `newer-version`, `older-version` or `corrupt`, and RecordsError for the
 * files.
 */
export async function openLedger(
  { keyValue, files: given, telemetry }: LedgerComponents,
  { genesisHash }: LedgerOptions,
): Promise<Ledger> {
  const unread = createSealedStore(keyValue);
  await checkOwner(keyValue, unread, genesisHash);
  await checkUnbroken(unread);
  const files = given && (await openBodies(given, { keyValue, telemetry }, genesisHash));
  const store = createSealedStore(keyValue, files);
  const newest = createNewestBlocksIndex(store);
  const reader = readerOf({ store, newest });
  const { storeBytesMax = STORE_BYTES_MAX } = given ?? {};
  const parts = { keyValue, files, storeBytesMax, store, newest, telemetry, genesisHash };
  const writer = new LedgerWriter(parts, await reader.tip());
  return {
    ...reader,
    putBlock: (executed) => writer.putBlock(executed),
    forgetBlock: (blockId) => writer.forgetBlock(blockId),
    commit: (blockId, seal) => writer.commit(blockId, seal),
    begin: (executed, seal) => writer.begin(executed, seal),
    putCertificates: (certificates) => writer.putCertificates(certificates),
    putEpochs: (epochs) => writer.putEpochs(epochs),
    putEvidence: (evidence) => writer.putEvidence(evidence),
    putPeerBlock: (record) => writer.putPeerBlock(record),
    pruneBelow: (below) => writer.pruneBelow(below),
    close: () => writer.close(),
  };
}

function openBodies(
  { disk, random, directory, segmentBytesMax }: LedgerFiles,
  { keyValue, telemetry }: LedgerComponents,
  genesisHash: GenesisHash,
): Promise<BodyWriter> {
  const options = { directory, genesisHash, contents: BODIES, ...(segmentBytesMax && { segmentBytesMax }) };
  return openChunkFiles({ disk, random, index: createPlaces(keyValue), telemetry }, options);
}

interface WriterComponents extends LedgerOptions {
  readonly keyValue: KeyValue;
  readonly files: BodyWriter | undefined;
  readonly storeBytesMax: number;
  readonly store: SealedStore;
  readonly newest: NewestBlocksIndex;
  readonly telemetry: Telemetry;
}

/** The store's only writer. Calls run one after another; bodies beside them, because a commit must not wait for a later body. */
class LedgerWriter {
  readonly #keyValue: KeyValue;
  readonly #files: BodyWriter | undefined;
  readonly #storeBytesMax: number;
  readonly #store: SealedStore;
  readonly #newest: NewestBlocksIndex;
  readonly #telemetry: Telemetry;
  readonly #genesisHash: GenesisHash;
  readonly #uncommitted = new Map<Hex<BlockId>, UncommittedBlock>();
  #tip: LedgerTip | undefined;
  readonly #inTurn = createTurns();
  readonly #bodyInTurn = createTurns();

  constructor(
    { keyValue, files, storeBytesMax, store, newest, telemetry, genesisHash }: WriterComponents,
    tip: LedgerTip | undefined,
  ) {
    this.#keyValue = keyValue;
    this.#files = files;
    this.#storeBytesMax = storeBytesMax;
    this.#store = store;
    this.#newest = newest;
    this.#telemetry = telemetry;
    this.#telemetry.count('ledger_pruned_blocks', 0);
    this.#genesisHash = genesisHash;
    this.#tip = tip;
  }

  putBlock(executed: ExecutedBlock): Promise<void> {
    return this.#bodyInTurn(async () => {
      this.#uncommitted.set(hexOf(executed.blockId), await this.#withBody(executed));
    });
  }

  forgetBlock(blockId: BlockId): Promise<void> {
    return this.#bodyInTurn(async () => {
      const isInFiles = this.#uncommitted.get(hexOf(blockId))?.body.key[0] === placeKey(blockId)[0];
      if (isInFiles) await this.#files?.forget([blockId]);
      this.#uncommitted.delete(hexOf(blockId));
    });
  }

  commit(blockId: BlockId, seal: CommitSeal): Promise<void> {
    return this.#inTurn(() => this.#commit(blockId, seal));
  }

  begin(executed: ExecutedBlock, seal: CommitSeal): Promise<void> {
    return this.#inTurn(() => this.#begin(executed, seal));
  }

  putCertificates(certificates: readonly Certificate[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const { subject } of certificates) {
        if (subject.kind === 'certify') assertCommitted(this.#tip, subject.height);
      }
      const handovers = await Promise.all(certificates.map((certificate) => this.#handoverFrom(certificate)));
      await this.#keyValue.batch([...certificates.flatMap(certificateOperations), ...handovers.flat()]);
    });
  }

  putEpochs(epochs: readonly PastEpoch[]): Promise<void> {
    const operations = epochs.flatMap(({ record, handover }) => [
      ...epochOperations({ record, end: undefined }),
      ...(handover ? [handoverOperation(handover)] : []),
    ]);
    return this.#inTurn(() => this.#keyValue.batch(operations, { sync: true }));
  }

  async putEvidence(evidence: Evidence): Promise<void> {
    const bytes = evidenceCodec.encode(evidence);
    return this.#put(keyOf('evidence', sha256(bytes)), bytes);
  }

  async putPeerBlock(record: PeerBlockRecord): Promise<void> {
    return this.#put(keyOf('peerBlock', fromHex(record.peer)), peerBlockCodec.encode(record));
  }

  async pruneBelow(below: number): Promise<number> {
    let pruned = 0;
    while (await this.#inTurn(() => this.#pruneLowest(below))) pruned += 1;
    return pruned;
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#files?.close();
      await this.#keyValue.close();
    });
  }

  async #withBody(executed: ExecutedBlock): Promise<UncommittedBlock> {
    const { blockId, block, receipts } = executed;
    const bytes = packBody(executed);
    const indexKeys = indexKeysOf(bodyIn(bytes) as Body);
    return { blockId, block, receipts: receipts.length, indexKeys, body: await this.#storeBody(executed, bytes) };
  }

  /** Returns what the commit writes. */
  async #storeBody(executed: ExecutedBlock, bytes: Uint8Array): Promise<KeyValueOperation> {
    const { blockId, block } = executed;
    if (this.#files === undefined || bytes.length <= this.#storeBytesMax) return putSealed(bodyKey(blockId), bytes);
    await this.#files.put(block.height, [{ chunkId: blockId, bytes }]);
    const key = placeKey(blockId);
    const place = await this.#store.get(key);
    assert(place !== undefined, 'the files have a place for what they put');
    // Written by the files unsynced: without the commit's sync, a power cut could take the place and leave the block.
    return putSealed(key, place);
  }

  async #commit(blockId: BlockId, seal: CommitSeal): Promise<void> {
    const executed = this.#uncommitted.get(hexOf(blockId));
    if (executed === undefined) {
      const data = { blockId: to0x(blockId) };
      throw new LedgerError('unknown-block', `ledger: commit of block ${data.blockId}, which was not put`, data);
    }
    assertOnTop(this.#tip, executed);
    assertSeal(this.#genesisHash, executed, seal);
    const next = nextTip(this.#tip, executed);
    const newestIndex = await indexOperations(this.#store, this.#newest.keysAt, next.height);
    const handover = await this.#handoverTo(executed, seal);
    await this.#moveTip(next, [executed.body, ...commitOperations(executed, seal), ...handover, ...newestIndex]);
    this.#newest.remember(next.height, executed.indexKeys);
    this.#uncommitted.delete(hexOf(blockId));
    this.#telemetry.count('ledger_committed_transactions', executed.receipts);
    this.#telemetry.gauge('ledger_tip_height', next.height);
  }

  async #begin(executed: ExecutedBlock, seal: CommitSeal): Promise<void> {
    const { block, blockId } = executed;
    if (this.#tip !== undefined) {
      const data = { height: block.height, tip: this.#tip.height };
      throw new LedgerError('out-of-order', `ledger: it begins at height ${this.#tip.earliestHeight} already`, data);
    }
    assertSeal(this.#genesisHash, executed, seal);
    const { height: at, timestampMs } = block;
    const first = { height: at, blockId, timestampMs, earliestHeight: at };
    const handover = await this.#handoverTo(executed, seal);
    const { body } = await this.#withBody(executed);
    await this.#moveTip(first, [body, ...commitOperations(executed, seal), ...handover]);
  }

  /** At the end of an epoch: by the newest state certificate of its committee. */
  async #handoverTo({ block }: NamedBlock, seal: CommitSeal): Promise<readonly KeyValueOperation[]> {
    const next = seal.newEpoch?.record;
    if (next === undefined || block.next === undefined) return [];
    const isOwn = seal.certificate?.subject.height === block.height;
    const certificate = isOwn ? seal.certificate : await stateCertificateUpTo(this.#store, block.height);
    if (certificate?.subject.epoch !== block.epoch) return [];
    const uncommitted = { next, preimages: seal.preimages };
    const handover = await deriveHandover(this.#store, this.#genesisHash, certificate, uncommitted);
    return handover ? [handoverOperation(handover)] : [];
  }

  /** A certificate of an epoch that ended may come after the commit of its end. */
  async #handoverFrom({ subject, ...rest }: Certificate): Promise<readonly KeyValueOperation[]> {
    if (subject.kind !== 'certify' || subject.epoch >= ((await latestEpoch(this.#store)) ?? 0)) return [];
    if ((await handoverAt(this.#store, subject.epoch)) !== undefined) return [];
    const handover = await deriveHandover(this.#store, this.#genesisHash, { subject, ...rest });
    return handover ? [handoverOperation(handover)] : [];
  }

  /** One synced batch, so a reader sees all of the block or nothing of it. */
  async #moveTip(next: LedgerTip, operations: readonly KeyValueOperation[]): Promise<void> {
    await this.#keyValue.batch([...operations, putSealed(metaKey('tip'), tipCodec.encode(next))], { sync: true });
    this.#tip = next;
  }

  /** False when nothing is left to prune. */
  async #pruneLowest(below: number): Promise<boolean> {
    const tip = this.#tip;
    if (tip === undefined || tip.earliestHeight >= below) return false;
    const at = tip.earliestHeight;
    const operations = await pruneOperations(this.#store, tip, at);
    if (operations === undefined) return false;
    const next = { ...tip, earliestHeight: height(at + 1) };
    await this.#keyValue.batch([putSealed(metaKey('tip'), tipCodec.encode(next)), ...operations]);
    this.#tip = next;
    await this.#files?.removeBelow(next.earliestHeight);
    this.#telemetry.count('ledger_pruned_blocks');
    return true;
  }

  #put(key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#inTurn(() => this.#keyValue.batch([putSealed(key, value)], { sync: true }));
  }
}

/** Runs calls one after another. */
function createTurns(): <T>(call: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const turn = last.then(call);
    last = turn.catch(() => {});
    return turn;
  };
}

function assertOnTop(tip: LedgerTip | undefined, { block, blockId }: NamedBlock): void {
  const follows =
    tip === undefined ? block.height === 0 : block.height === tip.height + 1 && bytesEqual(block.parentId, tip.blockId);
  if (follows) return;
  const data = { height: block.height, blockId: to0x(blockId), tip: tip?.height };
  const where = tip === undefined ? 'an empty ledger' : `height ${tip.height}`;
  throw new LedgerError('out-of-order', `ledger: block at height ${block.height} does not follow ${where}`, data);
}

function assertCommitted(tip: LedgerTip | undefined, at: number): void {
  if (tip !== undefined && at <= tip.height) return;
  const data = { height: at, tip: tip?.height };
  throw new LedgerError('out-of-order', `ledger: a state certificate of height ${at}, which is not committed`, data);
}

function nextTip(tip: LedgerTip | undefined, { block, blockId }: NamedBlock): LedgerTip {
  return {
    height: block.height,
    blockId,
    timestampMs: block.timestampMs,
    earliestHeight: tip?.earliestHeight ?? height(1),
  };
}
