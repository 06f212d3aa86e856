/**
 * Reads the ledger for API, sync server and proofs.
 *
 * A reader caches nothing that changes, so any number may be open on one store, in any thread; each sees a commit at once and whole. A
 * block is invisible before its commit (pipeline.md, P1), because every read goes by a height. Every call throws LedgerError `corrupt`
 * when a value does not match its checksum.
 */
import { BODIES, createChunkReader } from '@slipstream/chunk-files';
import type { Disk, KeyValue, Telemetry } from '@slipstream/ports';
import type {
  Block,
  BlockId,
  Certificate,
  CertifiedState,
  DigestPreimage,
  Epoch,
  EpochEnd,
  EpochRecord,
  Evidence,
  Handover,
  Height,
  InclusionProof,
  StateCertificate,
  TransactionId,
} from '@slipstream/types';
import type { BodyReader } from './bodies.ts';
import {
  certificatesAt,
  certificatesByView,
  type FinalizedRange,
  finalizedRange,
  type HeightCertificates,
  stateCertificateFrom,
} from './certificate-reads.ts';
import {
  type BlockPage,
  type BlockReceipts,
  batchesIn,
  blockAt,
  blockById,
  blockPage,
  blocksWithReceipts,
  bodyAt,
  type ExecutedIds,
  type LedgerBlock,
  preimageAt,
  preimagesBetween,
  readTip,
  recentBlocks,
} from './chain-reads.ts';
import { epochEnd, fillerById, latestEpoch, recordOf } from './epoch-reads.ts';
import { type EventPage, type EventPageOptions, type EventsOf, eventPage } from './event-reads.ts';
import { handoverAt, handoversFrom } from './handovers.ts';
import { keyOf, tableEnd } from './keys.ts';
import { createNewestBlocksIndex } from './newest-blocks.ts';
import { unpackList } from './packed-list.ts';
import { createPlaces } from './places.ts';
import { certifiedState, inclusionProof, type ProofMaterial, proofMaterial } from './proof-material.ts';
import { evidenceCodec, type LedgerTip, type PeerBlockRecord, peerBlockCodec } from './records.ts';
import { createSealedStore, decodeOr } from './sealed-store.ts';
import {
  type AccountCursor,
  type AccountPage,
  accountPage,
  batchOfRow,
  entryById,
  type LedgerBatch,
  type LedgerEntry,
  type LedgerTransaction,
  type LookUp,
  transactionById,
} from './transaction-reads.ts';

export interface LedgerReader {
  /** Undefined before genesis is committed. */
  tip(): Promise<LedgerTip | undefined>;
  block(at: { readonly height: number } | { readonly id: BlockId } | 'latest'): Promise<LedgerBlock | undefined>;
  blocks(options: { readonly before?: number; readonly limit: number }): Promise<BlockPage>;
  /** Committed blocks since a block time, ascending, for replay protection. */
  recentBlocks(sinceMs: number): Promise<readonly ExecutedIds[]>;
  /** Serialized, in order. */
  receipts(height: number): Promise<readonly Uint8Array[] | undefined>;
  /** Records of the distilled batches that ran, in order; undefined: not committed. */
  batches(height: number): Promise<readonly Uint8Array[] | undefined>;
  /** Consecutive from `from`; ends before a block that is pruned or not committed. */
  blocksWithReceipts(from: number, limit: number): Promise<readonly BlockReceipts[]>;
  transaction(id: TransactionId): Promise<LedgerTransaction | undefined>;
  /** A transaction, or the distilled batch of a row, by 32 bytes. */
  entry(id: Uint8Array): Promise<LedgerEntry | undefined>;
  /** The distilled batch that has the row. */
  batchOfRow(rowId: Uint8Array): Promise<LedgerBatch | undefined>;
  /** `account`: accountKeyBytes of types. */
  accountTransactions(
    account: Uint8Array,
    options: { readonly before?: AccountCursor; readonly limit: number },
  ): Promise<AccountPage>;
  /** Of an application, oldest first. Undefined: blocks from there on are pruned. */
  events(of: EventsOf, options: EventPageOptions): Promise<EventPage | undefined>;
  inclusionProof(id: TransactionId): Promise<InclusionProof | undefined>;
  proofMaterial(height: number): Promise<ProofMaterial | undefined>;
  certifiedState(height: number): Promise<CertifiedState | undefined>;
  preimage(height: Height): Promise<DigestPreimage | undefined>;
  preimages(from: number, to: number): Promise<readonly DigestPreimage[]>;
  certificates(height: number): Promise<HeightCertificates>;
  stateCertificateFrom(height: number): Promise<StateCertificate | undefined>;
  certificatesByView(epoch: Epoch, from: number, to: number): Promise<readonly Certificate[]>;
  /** For a sync request. */
  finalizedRange(from: number, to: number): Promise<FinalizedRange>;
  /** Of the next block. Undefined before genesis is committed. */
  latestEpoch(): Promise<Epoch | undefined>;
  record(epoch: Epoch): Promise<EpochRecord | undefined>;
  /** Of the epoch that ended. Undefined: it goes on, its boundary is pruned, or more than EPOCH_FILLERS_MAX fillers prove it. */
  epochEnd(epoch: Epoch): Promise<EpochEnd | undefined>;
  /** Of the epoch that ended, by its committee. Undefined: no state certificate that shows it is here. */
  handover(epoch: Epoch): Promise<Handover | undefined>;
  /** Consecutive, from the one of epoch `from` on. */
  handovers(from: Epoch, limit: number): Promise<readonly Handover[]>;
  /** A filler that proves the end of an epoch; no committed block. */
  filler(id: BlockId): Promise<Block | undefined>;
  evidence(limit: number): Promise<readonly Evidence[]>;
  /** At most PEER_BLOCKS_MAX. */
  peerBlocks(): Promise<readonly PeerBlockRecord[]>;
}

/** Above the largest committee. */
const PEER_BLOCKS_MAX = 2048;

/** `files`: of bodies; undefined: the ledger has none, or its receipts are not read. */
export function createLedgerReader(keyValue: KeyValue, files?: BodyReader): LedgerReader {
  const store = createSealedStore(keyValue, files);
  return readerOf({ store, newest: createNewestBlocksIndex(store) });
}

/** Bodies in the files of a ledger, in any thread. */
export function createBodyReader(
  { disk, keyValue, telemetry }: { readonly disk: Disk; readonly keyValue: KeyValue; readonly telemetry: Telemetry },
  directory: string,
): BodyReader {
  return createChunkReader({ disk, index: createPlaces(keyValue), telemetry }, directory, BODIES);
}

export function readerOf(lookUp: LookUp): LedgerReader {
  const { store } = lookUp;

  async function block(at: Parameters<LedgerReader['block']>[0]): Promise<LedgerBlock | undefined> {
    if (at !== 'latest') return 'id' in at ? blockById(store, at.id) : blockAt(store, at.height);
    const tip = await readTip(store);
    return tip && blockAt(store, tip.height);
  }

  async function receipts(height: number): Promise<readonly Uint8Array[] | undefined> {
    const found = await bodyAt(store, height);
    return found && unpackList(found.body.receipts);
  }

  async function batches(height: number): Promise<readonly Uint8Array[] | undefined> {
    const found = await bodyAt(store, height);
    return found && batchesIn(found.body.receipts);
  }

  async function all<T>(table: 'evidence' | 'peerBlock', codec: Parameters<typeof decodeOr<T>>[1], limit: number) {
    const entries = await store.range({ from: keyOf(table), to: tableEnd(table), limit });
    return entries.map(({ key, value }) => decodeOr(key, codec, value));
  }

  return {
    tip: () => readTip(store),
    block,
    blocks: (options) => blockPage(store, options),
    recentBlocks: (sinceMs) => recentBlocks(store, sinceMs),
    receipts,
    batches,
    blocksWithReceipts: (from, limit) => blocksWithReceipts(store, from, limit),
    transaction: (id) => transactionById(lookUp, id),
    entry: (id) => entryById(lookUp, id),
    batchOfRow: (rowId) => batchOfRow(lookUp, rowId),
    accountTransactions: (account, options) => accountPage(lookUp, account, options),
    events: (of, options) => eventPage(lookUp, of, options),
    inclusionProof: (id) => inclusionProof(lookUp, id),
    proofMaterial: (height) => proofMaterial(store, height),
    certifiedState: (height) => certifiedState(store, height),
    preimage: (height) => preimageAt(store, height),
    preimages: (from, to) => preimagesBetween(store, from, to),
    certificates: (height) => certificatesAt(store, height),
    stateCertificateFrom: (height) => stateCertificateFrom(store, height),
    certificatesByView: (epoch, from, to) => certificatesByView(store, epoch, from, to),
    finalizedRange: (from, to) => finalizedRange(store, from, to),
    latestEpoch: () => latestEpoch(store),
    record: (epoch) => recordOf(store, epoch),
    epochEnd: (epoch) => epochEnd(store, epoch),
    handover: (epoch) => handoverAt(store, epoch),
    handovers: (from, limit) => handoversFrom(store, from, limit),
    filler: (id) => fillerById(store, id),
    evidence: (limit) => all('evidence', evidenceCodec, limit),
    peerBlocks: () => all('peerBlock', peerBlockCodec, PEER_BLOCKS_MAX),
  };
}
