/**
 * Chunk intake: takes a chunk from a peer into the store.
 *
 *   from its producer:  quota? --> header: new? unexpired? one a sequence --> open --> log, store --> ack schedule
 *   requested by id:                                 open --> the right id? -->  log, store
 *
 * A new chunk of a closed epoch is taken by id alone, unless the epoch ended here just now. One of a sealed epoch is stored, and may be
 * acknowledged once the epoch begins (D19).
 *
 * Opening takes milliseconds and up to 64 times the frame's memory, so unwanted chunks are refused before. Without quota or decompression
 * budget a sender's frame is judged compressed.
 *
 * A chunk that lives longer than REFERENCE_WINDOW_MS from now is refused from its producer; fetched by id it is retained that long.
 * A chunk that a block references is always stored.
 */
import type { PeerKey, Verifier } from '@slipstream/ports';
import { CHUNK_MESSAGE_BYTES_MAX, type ChunkId, type GenesisHash, hexOf } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { ValidatorName } from '../epochs/committees.ts';
import { REFERENCE_WINDOW_MS } from '../limits.ts';
import type { DropReason } from '../metrics/drop-counter.ts';
import type { AckSchedule } from './ack-schedule.ts';
import { type ChunkFault, type OpenedChunk, openBody, openChunk, readChunk, type UnopenedChunk } from './chunk.ts';
import { type ChunkEntry, type ChunkEntryParts, type ChunkEntrySetting, createChunkEntry } from './chunk-entry.ts';
import type { ChunkWire } from './chunk-wire.ts';
import { createDecompressionBudget } from './decompression-budget.ts';
import { createEquivocation } from './equivocation.ts';
import { createHeaderCheck } from './header-check.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface ChunkIntake extends Omit<ChunkEntry, 'add' | 'rememberHeader'> {
  /** A `chunk` frame with its kind byte. Settles when the chunk is stored, and acknowledged if its ack is due; or refused. */
  onChunk(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** Undefined: the peer served another chunk. */
  addFetched(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
}

interface ChunkIntakeParts extends Omit<ChunkEntryParts, 'isSigned'> {
  readonly verifier: Pick<Verifier, 'checkVote'>;
  readonly wal: Pick<Wal, 'append'>;
  readonly wire: ChunkWire;
  readonly ackSchedule: Pick<AckSchedule, 'arrived'>;
}

interface ChunkIntakeSetting extends ChunkEntrySetting {
  readonly genesisHash: GenesisHash;
  /** Whose chunks one sender relays: a full node's upstream relays all. */
  producersOfSender(): number;
}

export function createChunkIntake(
  parts: ChunkIntakeParts,
  setting: ChunkIntakeSetting,
  limits: Parameters<typeof createDecompressionBudget>[1],
): ChunkIntake {
  const { store, drops, reports, wal, clock, wire, ackSchedule, committees } = parts;
  const { chunkRules } = setting;
  const isSigned = createHeaderCheck(parts.verifier, setting.genesisHash);
  const entry = createChunkEntry({ ...parts, isSigned }, setting);
  const equivocation = createEquivocation({ store, drops, reports, isSigned, committees });
  const budget = createDecompressionBudget(clock, limits, setting.producersOfSender);

  function bytesLeft(from: ValidatorName): number {
    return Math.min(store.quotaBytesLeft(from), budget.bytesLeft(from), CHUNK_MESSAGE_BYTES_MAX);
  }

  function refusal(isDirect: boolean, { header }: UnopenedChunk): DropReason | undefined {
    const { epoch } = header;
    if (epoch < committees.current.epoch && !committees.isJustClosed(epoch)) return 'chunk-closed-epoch';
    // A full node's upstream has checked the chunk and answers for it.
    if (!isDirect && committees.current.self !== undefined) return 'chunk-not-from-producer';
    if (header.expiryMs <= clock.wallMs()) return 'chunk-expired';
    if (header.expiryMs > clock.wallMs() + REFERENCE_WINDOW_MS) return 'chunk-too-early';
    return undefined;
  }

  function blameFault(from: PeerKey, { type, detail }: ChunkFault): void {
    if (type === 'foreign-epoch') return drops.add('chunk-foreign-epoch');
    drops.add(type === 'malformed' ? 'chunk-malformed' : 'chunk-invalid');
    reports.offence(from, type === 'malformed' ? 'malformed-frame' : 'invalid-chunk', detail);
  }

  /** Charges the sender's budget; undefined: refused. */
  function read(from: PeerKey, sender: ValidatorName, frame: Uint8Array): UnopenedChunk | undefined {
    const bytes = wire.open(frame, bytesLeft(sender));
    if (!bytes.ok) {
      const { type, detail } = bytes.error;
      if (type === 'no-room') drops.add('chunk-quota');
      else blameFault(from, { type, detail });
      return undefined;
    }
    budget.charge(sender, bytes.value.length);
    const unopened = readChunk(bytes.value, chunkRules);
    if (unopened.ok) return unopened.value;
    blameFault(from, unopened.error);
    return undefined;
  }

  async function onChunk(from: PeerKey, frame: Uint8Array): Promise<void> {
    const sender = committees.validatorOf(from);
    if (sender === undefined) return drops.add('chunk-not-from-producer');
    const unopened = read(from, sender, frame);
    if (unopened === undefined) return;
    const { header, hex } = unopened;
    const isDirect = committees.producerOf(header) === sender;
    const known = store.get(hex);
    const isHere = known !== undefined || store.isCommitted(hex);
    const refused = isHere ? undefined : refusal(isDirect, unopened);
    if (refused !== undefined) return drops.add(refused);
    // A fetched chunk may be stored beside another of its sequence: only its producer is to blame.
    const rival = equivocation.rivalOf(unopened);
    if (rival && (isDirect || !isHere)) {
      if (await equivocation.isSound(rival)) return equivocation.report(rival, unopened, isDirect);
      store.forgetHeader(rival);
      return onChunk(from, frame);
    }
    // Fetched by id, it may come from its producer for the first time.
    const isAgain = known !== undefined && store.firstHeader(header)?.origin !== 'served';
    if (isHere && isDirect) entry.rememberHeader(unopened, 'producer');
    if (isHere && known === undefined) return;
    const stored = known ?? addNew(from, unopened, sender);
    if (stored === undefined) return;
    if (known === undefined) {
      budget.refund(sender, unopened.bytes.length);
      if (header.epoch === committees.current.epoch) reports.stored?.(header.producer, frame);
    }
    if (isDirect && mayAcknowledge(stored) && !store.isRefused(hex)) await ackSchedule.arrived(stored, from, isAgain);
  }

  /** Of a closed epoch only what was here before its end: a chunk that a block named was fetched. */
  function mayAcknowledge({ header, origin }: StoredChunk): boolean {
    const { epoch } = committees.current;
    if (committees.of(header.epoch)?.self === undefined) return false;
    return header.epoch === epoch || (header.epoch < epoch && origin !== 'served');
  }

  function addNew(from: PeerKey, unopened: UnopenedChunk, sender: ValidatorName): StoredChunk | undefined {
    const opened = openBody(unopened, chunkRules);
    if (opened.ok) return log(opened.value, sender);
    blameFault(from, opened.error);
    return undefined;
  }

  function log(chunk: OpenedChunk, sender: ValidatorName | undefined): StoredChunk {
    return entry.add(chunk, wal.append('chunk', chunk.bytes), sender);
  }

  async function addFetched(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined> {
    const opened = openChunk(bytes.slice(), chunkRules);
    if (!opened.ok || opened.value.hex !== hexOf(chunkId)) {
      if (!opened.ok && opened.error.type === 'foreign-epoch') return void drops.add('chunk-foreign-epoch');
      drops.add(opened.ok ? 'chunk-invalid' : 'chunk-malformed');
      reports.offence(from, 'bad-sync', opened.ok ? 'served another chunk than was asked for' : opened.error.detail);
      return undefined;
    }
    const chunk = opened.value;
    const known = store.get(chunk.hex);
    if (known) return known;
    const rival = equivocation.rivalOf(chunk);
    // A block needs it, so it is stored beside a rival too.
    if (rival && (await equivocation.isSound(rival))) await equivocation.report(rival, chunk, false);
    else if (rival) store.forgetHeader(rival);
    return store.get(chunk.hex) ?? log(chunk, undefined);
  }

  const { addOwn, addRestored, addOwnRestored, verifyTransactions, verdicts, prepare } = entry;
  return { onChunk, addFetched, addOwn, addRestored, addOwnRestored, verifyTransactions, verdicts, prepare };
}
