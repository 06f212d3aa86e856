/**
 * Chunk intake: the way of a chunk into the store.
 *
 *   from its producer:  open --> unexpired? quota? --> one a sequence --> log, store --> storage ack
 *   asked for by id:    open --> the right id? ------------------------>  log, store          \--> its transactions (D3)
 *
 * A header's signature is not verified on arrival: the transport proves the producer, and an id that a block or a certificate
 * names proves the bytes. It is verified where it is blame or evidence: two chunks of one sequence, or a bad transaction in a
 * chunk that came another way. A chunk that a block references is stored whatever else its producer signed. Its transactions'
 * signatures are verified as it arrives, off the path of votes (D3).
 */
import type { Clock, PeerKey, Verifier } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  type ChunkId,
  type Committee,
  chunkMessage,
  type GenesisHash,
  hexOf,
  type PreparedTransaction,
  type Units,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import { type OpenedChunk, openChunk } from './chunk.ts';
import type { ChunkStore, KnownHeader, StoredChunk } from './chunk-store.ts';
import type { ChunkWire } from './chunk-wire.ts';
import type { Components, Reports, Rules } from './components.ts';
import type { SignatureChecks, Verdict } from './signature-checks.ts';
import type { DropReason, Tally } from './tally.ts';

export interface ChunkIntake {
  /** A `chunk` frame, kind byte included. Settles when it is stored and acknowledged, or refused. */
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** What a peer served when asked for a chunk; undefined when it is not that chunk. */
  takeServed(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
  /** A chunk that was built here. */
  takeOwn(chunk: OpenedChunk, logSequence: number): StoredChunk;
  /** A chunk of the log at start. */
  takeBack(chunk: OpenedChunk, logSequence: number): StoredChunk;
  /** Transactions with their verdicts. */
  prepared(chunk: StoredChunk): Promise<readonly PreparedTransaction[]>;
}

export interface ChunkIntakeParts extends Pick<Components, 'telemetry'> {
  readonly verifier: Pick<Verifier, 'checkVote'>;
  readonly wal: Pick<Wal, 'append'>;
  readonly clock: Clock;
  readonly rules: Rules;
  readonly reports: Reports;
  readonly store: ChunkStore;
  readonly signatures: SignatureChecks;
  readonly tally: Tally;
  readonly wire: ChunkWire;
  /** Promises the producer to keep its chunk; undefined on a full node. */
  readonly acknowledge: ((chunk: StoredChunk, producer: PeerKey) => Promise<void>) | undefined;
  /** Called with every chunk that becomes available. */
  arrived(chunk: StoredChunk): void;
  /** Called once with the good transactions of a pending chunk. */
  judged(chunk: StoredChunk, goodIds: readonly string[]): void;
}

export interface ChunkIntakeSetting {
  readonly committee: Committee;
  readonly genesisHash: GenesisHash;
  /** Of a block. */
  readonly unitsMax: Units;
  readonly memberIndex: number | undefined;
}

export function createChunkIntake(
  parts: ChunkIntakeParts,
  { committee, genesisHash, memberIndex, unitsMax }: ChunkIntakeSetting,
): ChunkIntake {
  const { store, tally, reports, verifier, wal, clock, rules, signatures, telemetry, wire } = parts;

  function isSigned({ header, signature }: Pick<OpenedChunk, 'header' | 'signature'>, id: ChunkId): Promise<boolean> {
    return verifier.checkVote(chunkMessage(genesisHash, id), header.producer, signature, 'chunk');
  }

  function put(chunk: OpenedChunk, logSequence: number, direct: boolean): StoredChunk {
    const { hex, header, signature, id } = chunk;
    const ids = chunk.transactions.map((transaction) => hexOf(transaction.id));
    const stored: StoredChunk = { ...chunk, logSequence, ids, arrivedMs: clock.monotonicMs() };
    store.put(stored);
    if (direct) store.rememberHeader({ header, signature, hex, id });
    parts.arrived(stored);
    prepare(stored, direct);
    return stored;
  }

  function prepare(stored: StoredChunk, direct: boolean): void {
    prepared(stored).then((transactions) => {
      const good = stored.ids.filter((_, i) => transactions[i]?.signatureValid === true);
      if (store.get(stored.hex)) parts.judged(stored, good);
      const bad = transactions.length - good.length;
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
    tally.drop('chunk-bad-signature', bad);
    if (!direct && !(await isSigned(chunk, id))) return;
    reports.offence(producer.peerKey, 'invalid-chunk', `chunk ${hex} holds ${bad} transactions with a bad signature`);
  }

  async function verify({ transactions }: StoredChunk): Promise<readonly PreparedTransaction[]> {
    const verdicts = await signatures.check(transactions, 'chunk');
    return transactions.map((transaction, i) => ({ ...transaction, ...preparedBy(verdicts[i] as Verdict) }));
  }

  function prepared(chunk: StoredChunk): Promise<readonly PreparedTransaction[]> {
    return store.prepared(chunk, verify);
  }

  /** A full node gets chunks from the validator it follows: that one has checked what it passes on, and answers for it. */
  function isRelay(from: PeerKey): boolean {
    return memberIndex === undefined && committee.members.some(({ peerKey }) => peerKey === from);
  }

  function refuse(isDirect: boolean, from: PeerKey, { header, bytes }: OpenedChunk): DropReason | undefined {
    if (!isDirect && !isRelay(from)) return 'chunk-not-from-producer';
    if (header.expiryMs <= clock.wallMs()) return 'chunk-expired';
    if (!store.hasRoom(header.producer, bytes.length)) return 'chunk-quota';
    return undefined;
  }

  async function onChunk(from: PeerKey, frame: Uint8Array): Promise<void> {
    const bytes = wire.open(frame);
    if (!bytes.ok) {
      tally.drop('chunk-malformed');
      reports.offence(from, 'malformed-frame', bytes.error);
      return;
    }
    const opened = openChunk(bytes.value, { committee, rules, unitsMax });
    if (!opened.ok) {
      const { type, detail } = opened.error;
      tally.drop(type === 'malformed' ? 'chunk-malformed' : 'chunk-invalid');
      reports.offence(from, type === 'malformed' ? 'malformed-frame' : 'invalid-chunk', detail);
      return;
    }
    const chunk = opened.value;
    const isDirect = committee.members[chunk.header.producer]?.peerKey === from;
    const known = store.get(chunk.hex);
    if (known === undefined && store.isCommitted(chunk.hex)) return;
    if (known === undefined) {
      const refused = refuse(isDirect, from, chunk);
      if (refused !== undefined) return tally.drop(refused);
      const rival = rivalOf(chunk);
      if (rival) return onRivals(rival, chunk, isDirect);
    }
    const stored = known ?? put(chunk, wal.append('chunk', chunk.bytes), isDirect);
    if (known === undefined) reports.stored?.(chunk.header.producer, frame);
    if (isDirect) await parts.acknowledge?.(stored, from);
  }

  /** Another chunk of the same sequence, sent by the producer itself. */
  function rivalOf({ header, hex }: OpenedChunk): KnownHeader | undefined {
    const first = store.first(header.producer, header.sequence);
    return first === undefined || first.hex === hex ? undefined : first;
  }

  async function onRivals(first: KnownHeader, chunk: OpenedChunk, isDirect: boolean): Promise<void> {
    const { header, signature, id } = chunk;
    const [firstSigned, secondSigned] = await Promise.all([isSigned(first, first.id), isSigned(chunk, id)]);
    if (firstSigned && secondSigned) {
      tally.drop('chunk-equivocation');
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
    const opened = openChunk(bytes.slice(), { committee, rules, unitsMax });
    if (!opened.ok || opened.value.hex !== hexOf(chunkId)) {
      tally.drop(opened.ok ? 'chunk-invalid' : 'chunk-malformed');
      reports.offence(from, 'bad-sync', opened.ok ? 'served another chunk than was asked for' : opened.error.detail);
      return undefined;
    }
    const chunk = opened.value;
    const known = store.get(chunk.hex);
    if (known) return known;
    const rival = rivalOf(chunk);
    if (rival) await onRivals(rival, chunk, false); // reported; the block needs it all the same
    return store.get(chunk.hex) ?? put(chunk, wal.append('chunk', chunk.bytes), false);
  }

  return {
    onChunk,
    takeServed,
    takeOwn: (chunk, logSequence) => put(chunk, logSequence, true),
    takeBack: (chunk, logSequence) => put(chunk, logSequence, true),
    prepared,
  };
}

function preparedBy(verdict: Verdict): Pick<PreparedTransaction, 'signatureValid' | 'fault'> {
  if (verdict === 'good') return { signatureValid: true };
  assert(verdict !== 'not-now', 'a chunk is checked without a budget: its verdicts are every node’s');
  return { signatureValid: false, fault: verdict };
}
