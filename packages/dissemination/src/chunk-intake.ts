/**
 * Chunk intake: the way of a chunk into the store.
 *
 *   from its producer:  structure --> unexpired? quota? --> signature --> one a sequence --> log, store --> its transactions
 *   asked for by id:    structure --> the right id?     --> signature ------------------->  log, store --> its transactions
 *
 * A chunk that a block references is stored whatever else its producer signed: without it the block cannot be executed. Its
 * transactions' signatures are verified as it arrives, off the path of votes (D3).
 */
import type { Clock, PeerKey, Verifier } from '@slipstream/ports';
import {
  type ChunkId,
  type Committee,
  chunkMessage,
  FRAMES,
  frameNameOf,
  type GenesisHash,
  hexOf,
  type PreparedTransaction,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import { type OpenedChunk, openChunk } from './chunk.ts';
import type { ChunkStore, StoredChunk } from './chunk-store.ts';
import type { Components, Reports, Rules } from './components.ts';
import type { SignatureChecks } from './signature-checks.ts';
import type { DropReason, Tally } from './tally.ts';

export interface ChunkIntake {
  /** A `chunk` frame, kind byte included. Settles when it is stored or refused. */
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** What a peer served when asked for a chunk; undefined when it is not that chunk. */
  takeServed(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
  /** A chunk that was built here. */
  takeOwn(chunk: OpenedChunk, logSequence: number): StoredChunk;
  /** A chunk of the log at start: its header was checked before; its transactions are, again, when a block needs them. */
  takeBack(chunk: OpenedChunk, logSequence: number): void;
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
  /** Called with every chunk that becomes available. */
  arrived(chunk: StoredChunk): void;
}

export interface ChunkIntakeSetting {
  readonly committee: Committee;
  readonly genesisHash: GenesisHash;
  readonly memberIndex: number | undefined;
}

export function createChunkIntake(
  parts: ChunkIntakeParts,
  { committee, genesisHash, memberIndex }: ChunkIntakeSetting,
): ChunkIntake {
  const { store, tally, reports, verifier, wal, clock, rules, signatures, telemetry } = parts;
  /** Header checks under way: a chunk that comes twice at once is checked once. */
  const flights = new Map<string, Promise<boolean>>();

  function signatureHolds({ id, hex, header, signature }: OpenedChunk): Promise<boolean> {
    const flying = flights.get(hex);
    if (flying) return flying;
    const check = verifier.checkVote(chunkMessage(genesisHash, id), header.producer, signature, 'chunk');
    flights.set(hex, check);
    return check.finally(() => flights.delete(hex));
  }

  function takeBack(chunk: OpenedChunk, logSequence: number): StoredChunk {
    const stored: StoredChunk = { ...chunk, logSequence };
    store.put(stored);
    parts.arrived(stored);
    return stored;
  }

  function keep(chunk: OpenedChunk, logSequence: number): StoredChunk {
    const known = store.get(chunk.hex);
    if (known) return known;
    const stored = takeBack(chunk, logSequence);
    prepared(stored).catch((cause: unknown) => {
      telemetry.log('error', 'a chunk’s signatures could not be checked', { chunk: chunk.hex, cause: String(cause) });
    });
    return stored;
  }

  function keepChecked(chunk: OpenedChunk): StoredChunk {
    return store.get(chunk.hex) ?? keep(chunk, wal.append('chunk', chunk.bytes));
  }

  async function verify({ header, hex, transactions }: StoredChunk): Promise<readonly PreparedTransaction[]> {
    const verdicts = await signatures.check(transactions, 'chunk');
    const bad = verdicts.filter((valid) => !valid).length;
    const producer = committee.members[header.producer];
    if (bad > 0 && producer && header.producer !== memberIndex) {
      tally.drop('chunk-bad-signature', bad);
      reports.offence(producer.peerKey, 'invalid-chunk', `chunk ${hex} holds ${bad} transactions with a bad signature`);
    }
    return transactions.map((transaction, i) => ({ ...transaction, signatureValid: verdicts[i] === true }));
  }

  function prepared(chunk: StoredChunk): Promise<readonly PreparedTransaction[]> {
    return store.prepared(chunk, verify);
  }

  /** A full node gets chunks from the validator it follows: that one has checked what it passes on, and answers for it. */
  function isRelay(from: PeerKey): boolean {
    return memberIndex === undefined && committee.members.some(({ peerKey }) => peerKey === from);
  }

  /** A chunk that nobody asked for; undefined when it may go on to the signature check. */
  function refuse(from: PeerKey, { header, bytes }: OpenedChunk): DropReason | undefined {
    if (committee.members[header.producer]?.peerKey !== from && !isRelay(from)) return 'chunk-not-from-producer';
    if (header.expiryMs <= clock.wallMs()) return 'chunk-expired';
    if (!store.hasRoom(header.producer, bytes.length)) return 'chunk-quota';
    return undefined;
  }

  async function onChunk(from: PeerKey, frame: Uint8Array): Promise<void> {
    if (frameNameOf(frame) !== 'chunk' || frame.length > FRAMES.chunk.bytesMax) {
      reports.offence(from, 'malformed-frame', 'not a chunk frame');
      return;
    }
    const opened = openChunk(frame.slice(1), { committee, rules });
    if (!opened.ok) {
      const { type, detail } = opened.error;
      tally.drop(type === 'malformed' ? 'chunk-malformed' : 'chunk-invalid');
      reports.offence(from, type === 'malformed' ? 'malformed-frame' : 'invalid-chunk', detail);
      return;
    }
    const chunk = opened.value;
    if (store.bytesOf(chunk.hex)) return;
    const refused = refuse(from, chunk);
    if (refused !== undefined) {
      tally.drop(refused);
      return;
    }
    if (!(await signatureHolds(chunk))) {
      tally.drop('chunk-invalid');
      reports.offence(from, 'invalid-signature', `the header of chunk ${chunk.hex} is not signed by its producer`);
      return;
    }
    if (isEquivocation(chunk)) return;
    if (!store.hasRoom(chunk.header.producer, chunk.bytes.length)) return tally.drop('chunk-quota');
    keepChecked(chunk);
    reports.stored?.(chunk.header.producer, frame);
  }

  function isEquivocation(chunk: OpenedChunk): boolean {
    const { header, signature } = chunk;
    const first = store.first(header.producer, header.sequence);
    if (first === undefined || first.hex === chunk.hex) return false;
    tally.drop('chunk-equivocation');
    reports.equivocation({
      offender: header.producer,
      first: { header: first.header, signature: first.signature },
      second: { header, signature },
    });
    return true;
  }

  async function takeServed(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined> {
    const opened = openChunk(bytes, { committee, rules });
    if (!opened.ok || opened.value.hex !== hexOf(chunkId)) {
      tally.drop(opened.ok ? 'chunk-invalid' : 'chunk-malformed');
      reports.offence(from, 'bad-sync', opened.ok ? 'served another chunk than was asked for' : opened.error.detail);
      return undefined;
    }
    const known = store.get(opened.value.hex);
    if (known) return known;
    if (!(await signatureHolds(opened.value))) {
      tally.drop('chunk-invalid');
      reports.offence(from, 'bad-sync', 'served a chunk that its producer did not sign');
      return undefined;
    }
    isEquivocation(opened.value); // reported; the block needs it all the same
    return keepChecked(opened.value);
  }

  return { onChunk, takeServed, takeOwn: keep, takeBack, prepared };
}
