/**
 * Chunk intake: the way of a chunk into the store.
 *
 *   from its producer:  quota? --> header: new? unexpired? one a sequence --> open --> log, store --> storage ack
 *   asked for by id:                                 open --> the right id? -->  log, store          \--> its transactions (D3)
 *
 * Opening takes milliseconds and up to 64 times the memory of what was sent, so what is not wanted is refused before it: a
 * producer without room for it, or one that has many opened in vain, has its frame judged but not decompressed, and of what a header
 * refuses, no body is read.
 *
 * A header's signature is not verified on arrival: the transport proves the producer, and an id that a block or a certificate
 * names proves the bytes. It is verified where it is blame or evidence: two chunks of one sequence, or a bad transaction in a
 * chunk that came another way. The log does not say which way one came, so what it gives back blames nobody unverified. A chunk
 * that a block references is stored whatever else its producer signed. Its transactions' signatures are verified as it arrives,
 * off the path of votes (D3).
 *
 * No block may reference a chunk that lives longer than REFERENCE_WINDOW_MS from now on, but for what clocks differ. From its
 * producer it is refused until then; one that came by id is kept no longer than that. A chunk that is pending keeps the log from
 * being cut, and a hostile producer could else have it kept for years.
 */
import type { Clock, PeerKey, Verifier } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  CHUNK_MESSAGE_BYTES_MAX,
  type ChunkId,
  chunkMessage,
  type DecodedTransaction,
  type GenesisHash,
  hexOf,
  type PreparedTransaction,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { Components, Reports } from '../components.ts';
import type { ChunkVerdict, SignatureChecks, Verdict } from '../intake/signature-checks.ts';
import { REFERENCE_WINDOW_MS } from '../limits.ts';
import type { DropCounter, DropReason } from '../metrics/drop-counter.ts';
import {
  type ChunkFault,
  type ChunkRules,
  type OpenedChunk,
  openBody,
  openChunk,
  readChunk,
  transactionsIn,
  type UnopenedChunk,
} from './chunk.ts';
import type { ChunkOrigin, ChunkStore, SeenHeader, StoredChunk, Verify } from './chunk-store.ts';
import type { ChunkWire } from './chunk-wire.ts';
import { createDecompressionBudget } from './decompression-budget.ts';

export interface ChunkIntake {
  /** A `chunk` frame, kind byte included. Settles when it is stored and acknowledged, or refused. */
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** What a peer served when asked for a chunk; undefined when it is not that chunk. */
  addFetched(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
  /** A chunk that was built here, of transactions whose signatures were verified. */
  addOwn(chunk: UnopenedChunk, ids: StoredChunk['ids'], logSequence: number): StoredChunk;
  /** A chunk of the log at start; it is not judged yet. `takeOwnBack`: of which the log says that it was built here. */
  addRestored(chunk: OpenedChunk, logSequence: number): StoredChunk;
  addOwnRestored(chunk: OpenedChunk, logSequence: number): StoredChunk;
  /** Verifies its transactions, and blames who packed bad ones. */
  verifyTransactions(chunk: StoredChunk): void;
  /** On each of its transactions, in order. */
  verdicts(chunk: StoredChunk): Promise<readonly ChunkVerdict[]>;
  /** Transactions with their verdicts: they are decoded anew. */
  prepare(chunk: StoredChunk): Promise<readonly PreparedTransaction[]>;
}

export interface ChunkIntakeParts extends Pick<Components, 'telemetry'> {
  readonly verifier: Pick<Verifier, 'checkVote'>;
  readonly wal: Pick<Wal, 'append'>;
  readonly clock: Clock;
  readonly reports: Reports;
  readonly store: ChunkStore;
  readonly signatures: SignatureChecks;
  readonly drops: DropCounter;
  readonly wire: ChunkWire;
  /** Promises the producer to keep its chunk; undefined on a full node. */
  readonly acknowledge: ((chunk: StoredChunk, producer: PeerKey) => Promise<void>) | undefined;
  /** Called with every chunk that becomes available. */
  chunkAvailable(chunk: StoredChunk): void;
  /** Called once with the good transactions of a pending chunk. */
  chunkVerified(chunk: StoredChunk, goodIds: StoredChunk['ids']): void;
}

export interface ChunkIntakeSetting {
  readonly chunkRules: ChunkRules;
  readonly genesisHash: GenesisHash;
  readonly memberIndex: number | undefined;
}

export function createChunkIntake(
  parts: ChunkIntakeParts,
  { chunkRules, genesisHash, memberIndex }: ChunkIntakeSetting,
  limits: Parameters<typeof createDecompressionBudget>[1],
): ChunkIntake {
  const { committee } = chunkRules;
  const { store, drops, reports, verifier, wal, clock, signatures, telemetry, wire } = parts;
  const validators: ReadonlyMap<PeerKey, number> = new Map(
    committee.members.map(({ peerKey }, index) => [peerKey, index]),
  );

  const vain = createDecompressionBudget(parts, limits, memberIndex === undefined ? committee.members.length : 1);

  function isSigned({ header, signature }: Pick<UnopenedChunk, 'header' | 'signature'>, id: ChunkId): Promise<boolean> {
    return verifier.checkVote(chunkMessage(genesisHash, id), header.producer, signature, 'chunk');
  }

  /** `sender`: the member that sent it unasked; undefined when it was asked for. */
  function put(chunk: OpenedChunk, logSequence: number, sender: number | undefined): StoredChunk {
    const direct = sender === chunk.header.producer;
    const stored = keep(chunk, logSequence, direct ? 'producer' : 'served', sender);
    settle(stored, direct, () => verify(chunk.transactions));
    return stored;
  }

  function putOwn(chunk: UnopenedChunk, ids: StoredChunk['ids'], logSequence: number): StoredChunk {
    const { producer } = chunk.header;
    const stored = keepAs({ ...chunk, ids, logSequence, origin: 'producer', chargedTo: producer });
    settle(stored, true, async () => ids.map(() => 'good'));
    return stored;
  }

  function keep(chunk: OpenedChunk, logSequence: number, origin: ChunkOrigin, chargedTo?: number): StoredChunk {
    const { transactions, ...unopened } = chunk;
    const ids = transactions.map(({ id }) => hexOf(id));
    return keepAs({ ...unopened, ids, logSequence, origin, chargedTo });
  }

  function keepAs(chunk: Omit<StoredChunk, 'arrivedMs'>): StoredChunk {
    const stored: StoredChunk = { ...chunk, arrivedMs: clock.monotonicMs() };
    store.put(stored, Math.min(chunk.header.expiryMs, clock.wallMs() + REFERENCE_WINDOW_MS));
    remember(stored, chunk.origin);
    parts.chunkAvailable(stored);
    return stored;
  }

  function remember({ header, signature, hex, id }: UnopenedChunk, origin: ChunkOrigin): void {
    store.rememberHeader({ header, signature: signature.slice(), hex, id, origin });
  }

  function settle(stored: StoredChunk, direct: boolean, verify: Verify): void {
    store.verdicts(stored, verify).then((verdicts) => {
      const bad = verdicts.reduce((count, verdict) => (verdict === 'good' ? count : count + 1), 0);
      const good = bad === 0 ? stored.ids : stored.ids.filter((_, i) => verdicts[i] === 'good');
      if (store.get(stored.hex)) parts.chunkVerified(stored, good);
      if (bad > 0) blame(stored, bad, direct).catch(unchecked);
    }, unchecked);
    function unchecked(cause: unknown): void {
      telemetry.log('error', 'a chunk’s signatures could not be checked', { chunk: stored.hex, cause: String(cause) });
    }
  }

  /** Whoever packed a bad signature did not look; whoever did not pack it must not be blamed for another’s forgery. */
  async function blame(chunk: StoredChunk, bad: number, direct: boolean): Promise<void> {
    const { header, hex, id } = chunk;
    const producer = committee.members[header.producer];
    if (producer === undefined || header.producer === memberIndex) return;
    drops.add('chunk-bad-signature', bad);
    if (!direct && !(await isSigned(chunk, id))) return;
    reports.offence(producer.peerKey, 'invalid-chunk', `chunk ${hex} holds ${bad} transactions with a bad signature`);
  }

  async function verify(transactions: readonly DecodedTransaction[]): Promise<readonly ChunkVerdict[]> {
    const verdicts = await signatures.check(transactions, 'chunk');
    assert(isEveryNodes(verdicts), 'a chunk is checked without a budget: its verdicts are every node’s');
    return verdicts;
  }

  function verifyAnew({ body }: StoredChunk): Promise<readonly ChunkVerdict[]> {
    return verify(transactionsIn(body, chunkRules.credentials));
  }

  function verdicts(chunk: StoredChunk): Promise<readonly ChunkVerdict[]> {
    return store.verdicts(chunk, () => verifyAnew(chunk));
  }

  async function prepared(chunk: StoredChunk): Promise<readonly PreparedTransaction[]> {
    const judged = await verdicts(chunk);
    return transactionsIn(chunk.body, chunkRules.credentials).map((decoded, i) => {
      const verdict = judged[i];
      return { ...decoded, signatureValid: verdict === 'good', fault: verdict === 'good' ? undefined : verdict };
    });
  }

  /** A full node gets chunks from the validator it follows: that one has checked what it passes on, and answers for it. */
  function isRelay(from: PeerKey): boolean {
    return memberIndex === undefined && validators.has(from);
  }

  function roomOf(from: number): number {
    return Math.min(store.quotaBytesLeft(from), vain.bytesLeft(from), CHUNK_MESSAGE_BYTES_MAX);
  }

  function refuse(isDirect: boolean, from: PeerKey, { header }: UnopenedChunk): DropReason | undefined {
    if (!isDirect && !isRelay(from)) return 'chunk-not-from-producer';
    if (header.expiryMs <= clock.wallMs()) return 'chunk-expired';
    if (header.expiryMs > clock.wallMs() + REFERENCE_WINDOW_MS) return 'chunk-too-early';
    return undefined;
  }

  function blameFault(from: PeerKey, { type, detail }: ChunkFault): void {
    drops.add(type === 'malformed' ? 'chunk-malformed' : 'chunk-invalid');
    reports.offence(from, type === 'malformed' ? 'malformed-frame' : 'invalid-chunk', detail);
  }

  async function onChunk(from: PeerKey, frame: Uint8Array): Promise<void> {
    const fromIndex = validators.get(from);
    // Only validators make chunks or pass them on.
    if (fromIndex === undefined) return drops.add('chunk-not-from-producer');
    const bytes = wire.open(frame, roomOf(fromIndex));
    if (!bytes.ok) {
      const { type, detail } = bytes.error;
      return type === 'no-room' ? drops.add('chunk-quota') : blameFault(from, { type, detail });
    }
    vain.charge(fromIndex, bytes.value.length);
    const unopened = readChunk(bytes.value, chunkRules);
    if (!unopened.ok) return blameFault(from, unopened.error);
    const { header, hex } = unopened.value;
    const isDirect = header.producer === fromIndex;
    const known = store.get(hex);
    const isHere = known !== undefined || store.isCommitted(hex);
    const refused = isHere ? undefined : refuse(isDirect, from, unopened.value);
    if (refused !== undefined) return drops.add(refused);
    // What is here already may have been fetched: what comes by id is kept whatever else has its sequence.
    const rival = rivalOf(unopened.value);
    if (rival && (isDirect || !isHere)) {
      if (await isSound(rival)) return onRivals(rival, unopened.value, isDirect);
      store.forgetHeader(rival);
      return onChunk(from, frame);
    }
    if (isHere && isDirect) remember(unopened.value, 'producer');
    if (isHere && known === undefined) return;
    const stored = known ?? takeNew(from, unopened.value, fromIndex);
    if (stored === undefined) return;
    if (known === undefined) {
      vain.refund(fromIndex, bytes.value.length);
      reports.stored?.(header.producer, frame);
    }
    if (isDirect) await parts.acknowledge?.(stored, from);
  }

  function takeNew(from: PeerKey, unopened: UnopenedChunk, fromIndex: number): StoredChunk | undefined {
    const opened = openBody(unopened, chunkRules);
    if (opened.ok) return put(opened.value, wal.append('chunk', opened.value.bytes), fromIndex);
    blameFault(from, opened.error);
    return undefined;
  }

  /** Whether its producer answers for it; one that was fetched, now or in an earlier life, may be anybody's invention. */
  async function isSound(known: SeenHeader): Promise<boolean> {
    return known.origin === 'producer' || (await isSigned(known, known.id));
  }

  /** Another chunk of the same sequence, as far as is known of the same producer. */
  function rivalOf({ header, hex }: UnopenedChunk): SeenHeader | undefined {
    const first = store.firstHeader(header.producer, header.sequence);
    return first === undefined || first.hex === hex ? undefined : first;
  }

  async function onRivals(first: SeenHeader, chunk: UnopenedChunk, isDirect: boolean): Promise<void> {
    const { header, signature, id } = chunk;
    const [firstSigned, secondSigned] = await Promise.all([isSigned(first, first.id), isSigned(chunk, id)]);
    if (firstSigned && secondSigned) {
      drops.add('chunk-equivocation');
      reports.equivocation({
        offender: header.producer,
        first: { header: first.header, signature: first.signature },
        second: { header, signature },
      });
    } else if (isDirect) {
      const producer = committee.members[header.producer]?.peerKey as PeerKey;
      const detail = `two chunks of sequence ${header.sequence}, not both signed`;
      reports.offence(producer, secondSigned ? 'invalid-chunk' : 'invalid-signature', detail);
    }
  }

  async function takeServed(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined> {
    const opened = openChunk(bytes.slice(), chunkRules);
    if (!opened.ok || opened.value.hex !== hexOf(chunkId)) {
      drops.add(opened.ok ? 'chunk-invalid' : 'chunk-malformed');
      reports.offence(from, 'bad-sync', opened.ok ? 'served another chunk than was asked for' : opened.error.detail);
      return undefined;
    }
    const chunk = opened.value;
    const known = store.get(chunk.hex);
    if (known) return known;
    const rival = rivalOf(chunk);
    if (rival && (await isSound(rival)))
      await onRivals(rival, chunk, false); // reported; the block needs it all the same
    else if (rival) store.forgetHeader(rival);
    return store.get(chunk.hex) ?? put(chunk, wal.append('chunk', chunk.bytes), undefined);
  }

  return {
    onChunk,
    addFetched: takeServed,
    addOwn: putOwn,
    addRestored: (chunk, logSequence) => keep(chunk, logSequence, 'log'),
    addOwnRestored: (chunk, logSequence) => keep(chunk, logSequence, 'producer', chunk.header.producer),
    verifyTransactions: (chunk) => settle(chunk, false, () => verifyAnew(chunk)),
    verdicts,
    prepare: prepared,
  };
}

function isEveryNodes(verdicts: readonly Verdict[]): verdicts is readonly ChunkVerdict[] {
  return !verdicts.includes('not-now');
}
