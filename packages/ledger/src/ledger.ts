/**
 * The ledger: blocks, receipts and certificates of the committed chain, over a key-value store.
 *
 *   putBlock ----> commit          synced, by block id: durable before a reference to it (pipeline.md, P6)
 *       \---> forgetBlock          removes a rival that lost (P3)
 *
 * putBlock writes the large values, which readers use once the block is the committed one of its height. commit is one small synced batch
 * that names the block and moves the tip, so a reader sees a block whole or not at all (P1), also after a crash. Opening removes blocks
 * that were put and not committed; the pipeline executes them again if needed.
 *
 * A store has one writer, which runs its calls one after another.
 */
import type { KeyValue, KeyValueOperation, Telemetry } from '@slipstream/ports';
import { bytesEqual, fromHex, sha256, to0x, uint32le } from '@slipstream/primitives';
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
import { indexOperations } from './block-index.ts';
import { stateCertificateUpTo } from './certificate-reads.ts';
import { latestEpoch } from './epoch-reads.ts';
import { LedgerError } from './errors.ts';
import { deriveHandover, handoverAt } from './handovers.ts';
import { keyOf, metaKey, readUint64be, tableEnd } from './keys.ts';
import { pruneOperations } from './prune.ts';
import { createLedgerReader, type LedgerReader } from './reader.ts';
import { evidenceCodec, type LedgerTip, type PeerBlockRecord, peerBlockCodec, tipCodec } from './records.ts';
import { createSealedStore, putSealed, type SealedStore } from './sealed-store.ts';
import { checkUnbroken } from './unbroken.ts';
import {
  assertSeal,
  blockOperations,
  type CommitSeal,
  certificateOperations,
  commitOperations,
  type ExecutedBlock,
  epochOperations,
  forgetOperations,
  handoverOperation,
  type NamedBlock,
} from './write-operations.ts';

export interface Ledger extends LedgerReader {
  /** Durable when the promise resolves; invisible to readers before commit. Idempotent. */
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
  readonly telemetry: Telemetry;
}

/** What commit needs; the receipts themselves may be megabytes. */
interface UncommittedBlock extends NamedBlock {
  readonly receipts: number;
}

interface LedgerOptions {
  readonly genesisHash: GenesisHash;
}

/** Raised with each change that an older release would misread. */
export const LEDGER_SCHEMA = 6;

const UNCOMMITTED_MAX = 4096;

/** Opens or creates the ledger of a chain. Throws LedgerError `foreign`, `newer-version`, `older-version` or `corrupt`. */
export async function openLedger(
  { keyValue, telemetry }: LedgerComponents,
  { genesisHash }: LedgerOptions,
): Promise<Ledger> {
  const store = createSealedStore(keyValue);
  const reader = createLedgerReader(keyValue);
  await checkOwner(keyValue, store, genesisHash);
  await checkUnbroken(store);
  await removeUncommitted(keyValue, store, telemetry);
  const writer = new LedgerWriter({ keyValue, store, telemetry, genesisHash }, await reader.tip());
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

interface WriterComponents extends LedgerComponents, LedgerOptions {
  readonly store: SealedStore;
}

/** The store's only writer. Calls run one after another. */
class LedgerWriter {
  readonly #keyValue: KeyValue;
  readonly #store: SealedStore;
  readonly #telemetry: Telemetry;
  readonly #genesisHash: GenesisHash;
  readonly #uncommitted = new Map<Hex<BlockId>, UncommittedBlock>();
  #tip: LedgerTip | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor({ keyValue, store, telemetry, genesisHash }: WriterComponents, tip: LedgerTip | undefined) {
    this.#keyValue = keyValue;
    this.#store = store;
    this.#telemetry = telemetry;
    this.#telemetry.count('ledger_pruned_blocks', 0);
    this.#genesisHash = genesisHash;
    this.#tip = tip;
  }

  putBlock(executed: ExecutedBlock): Promise<void> {
    return this.#inTurn(async () => {
      await this.#keyValue.batch(blockOperations(executed), { sync: true });
      const { blockId, block, receipts } = executed;
      this.#uncommitted.set(hexOf(blockId), { blockId, block, receipts: receipts.length });
    });
  }

  forgetBlock(blockId: BlockId): Promise<void> {
    return this.#inTurn(async () => {
      const executed = this.#uncommitted.get(hexOf(blockId));
      if (executed === undefined) return;
      await this.#keyValue.batch(forgetOperations(executed.block.height, blockId));
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
    return this.#inTurn(() => this.#keyValue.close());
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
    const newestIndex = await indexOperations(this.#store, next.height);
    const handover = await this.#handoverTo(executed, seal);
    await this.#moveTip(next, [...commitOperations(executed, seal), ...handover, ...newestIndex]);
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
    await this.#moveTip(first, [...blockOperations(executed), ...commitOperations(executed, seal), ...handover]);
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
    this.#telemetry.count('ledger_pruned_blocks');
    return true;
  }

  #put(key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#inTurn(() => this.#keyValue.batch([putSealed(key, value)], { sync: true }));
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(write);
    this.#queue = turn.catch(() => {});
    return turn;
  }
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

/**
 * Marks a new store with schema and chain, and compares an old one's marks.
 *
 * The marks are written at each opening, synced: a killed process may have left a visible, unsynced commit, which a power loss could
 * remove after the state store has built upon it (P6).
 */
async function checkOwner(keyValue: KeyValue, store: SealedStore, genesisHash: GenesisHash): Promise<void> {
  const [first] = await keyValue.range({ from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 1 });
  if (first !== undefined) await checkMarks(keyValue, store, genesisHash);
  const marks = [putSealed(metaKey('schema'), uint32le(LEDGER_SCHEMA)), putSealed(metaKey('genesis'), genesisHash)];
  await keyValue.batch(marks, { sync: true });
}

async function checkMarks(keyValue: KeyValue, store: SealedStore, genesisHash: GenesisHash): Promise<void> {
  const schema = await keyValue.get(metaKey('schema'));
  if (schema === undefined) {
    throw new LedgerError('foreign', 'ledger: the folder holds something else: name another one', {});
  }
  const found = (await store.get(metaKey('schema')))?.[0] ?? 0;
  if (found > LEDGER_SCHEMA) {
    const text = `ledger: written by a newer release (schema ${found}, this one knows ${LEDGER_SCHEMA}): upgrade`;
    throw new LedgerError('newer-version', text, { expected: LEDGER_SCHEMA, found });
  }
  if (found < LEDGER_SCHEMA) {
    const text = `ledger: written by an older release (schema ${found}, this one needs ${LEDGER_SCHEMA}): use a new data folder, and the node fetches the chain from its peers`;
    throw new LedgerError('older-version', text, { expected: LEDGER_SCHEMA, found });
  }
  const chain = await store.get(metaKey('genesis'));
  if (chain === undefined || !bytesEqual(chain, genesisHash)) {
    const data = { expected: to0x(genesisHash), found: chain && to0x(chain) };
    throw new LedgerError('foreign', `ledger: belongs to chain ${data.found}, not ${data.expected}`, data);
  }
}

async function removeUncommitted(keyValue: KeyValue, store: SealedStore, telemetry: Telemetry): Promise<void> {
  const range = { from: keyOf('uncommitted'), to: tableEnd('uncommitted'), limit: UNCOMMITTED_MAX };
  const marks = await store.range(range);
  if (marks.length === 0) return;
  const operations = marks.flatMap(({ key }) => forgetOperations(readUint64be(key, 1), key.subarray(9) as BlockId));
  await keyValue.batch(operations, { sync: true });
  const heights = marks.map(({ key }) => readUint64be(key, 1));
  telemetry.log('info', 'ledger: removed blocks that were executed and not committed', { heights });
}
