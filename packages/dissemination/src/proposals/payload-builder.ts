/**
 * Payload builder: which chunks a leader's block references (D16, D17).
 *
 *   pending, not in an ancestor, in time --> certified, or uncertified references allowed, or one orphan --> oldest first
 *   first round: each producer up to its share of a block --> second round: the others, oldest first
 *
 * A share counts units and places, against producers of thousands of tiny chunks. A block has no more units than execute in time
 * (execution-rate.ts), but its first chunk is always taken, or one above the bound would wait for ever.
 *
 * Age counts from arrival here, so a producer's clock gains nothing. One orphan a block bounds what others must fetch from this leader. A
 * fetched chunk may be another leader's invention, so it is no orphan. Members that moved on take new chunks of a closed epoch for a second;
 * after it one without a certificate is an orphan or waits.
 */
import type { Clock, Telemetry } from '@slipstream/ports';
import {
  addUnits,
  BLOCK_CHUNKS_MAX,
  type BlockId,
  type ChunkReference,
  type Epoch,
  NO_UNITS,
  type Units,
} from '@slipstream/types';
import type { Certificates } from '../chunks/certificates.ts';
import type { ChunkStore } from '../chunks/chunk-store.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Rules } from '../components.ts';
import type { Committees, ValidatorName } from '../epochs/committees.ts';
import { ORPHAN_MS, REFERENCE_WINDOW_MS } from '../limits.ts';
import type { ChunkReferences } from './chunk-references.ts';

export interface PayloadRequest {
  readonly parentId: BlockId;
  readonly timestampMs: number;
}

interface PayloadBuilderParts {
  readonly store: ChunkStore;
  readonly references: ChunkReferences;
  readonly certificates: Pick<Certificates, 'of'>;
  readonly uncertifiedReferences: { readonly allowed: boolean };
  readonly telemetry: Pick<Telemetry, 'count'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly rules: Pick<Rules, 'quarantine'>;
  readonly committees: Pick<Committees, 'current' | 'blockLimits' | 'isOver' | 'isJustClosed' | 'producerOf'>;
}

interface PayloadBuilderSetting {
  /** Bounded by what executes in time. */
  readonly timelyUnits: Units;
  /** Distilled rows of a block. */
  readonly rowsMax: number;
}

/** Times an equal share of a block: a busy producer takes what two would. */
const SHARE_FACTOR = 2;

export function buildPayload(
  parts: PayloadBuilderParts,
  setting: PayloadBuilderSetting,
  { parentId, timestampMs }: PayloadRequest,
): readonly ChunkReference[] {
  const { missing, references } = parts.references.ancestry(parentId, timestampMs);
  if (missing !== undefined) return []; // D2 cannot be judged: an empty block gets votes
  const candidates = eligible(parts, (chunk) => {
    const { header, hex } = chunk;
    const { epoch } = header;
    const { current, isOver } = parts.committees;
    if (epoch > current.epoch || isOver(epoch, { epoch: current.epoch, timestampMs })) return false;
    const inTime = header.expiryMs > timestampMs && header.expiryMs <= timestampMs + REFERENCE_WINDOW_MS;
    return inTime && !references(hex);
  });
  const { taken, isBounded } = fill(candidates, parts.committees, setting, timestampMs);
  if (isBounded) parts.telemetry.count('dissemination_blocks_bounded_by_execution_total');
  return taken.map(({ id, hex }) => ({ chunkId: id, certificate: parts.certificates.of(hex) }));
}

function eligible(
  { store, certificates, uncertifiedReferences, clock, rules, committees }: PayloadBuilderParts,
  isPossible: (chunk: StoredChunk) => boolean,
): readonly StoredChunk[] {
  const isAllowed = uncertifiedReferences.allowed;
  const isRecent = (epoch: Epoch) => epoch === committees.current.epoch || committees.isJustClosed(epoch);
  let orphans = 0;
  return [...store.pending()].filter((chunk) => {
    if (!isPossible(chunk) || store.isRefused(chunk.hex)) return false;
    // A leader may leave out what it will: votes and execution do not ask.
    if (rules.quarantine?.holds(chunk.ids)) return false;
    if (certificates.of(chunk.hex)) return true;
    if (chunk.origin === 'served') return false;
    const isOrphan = clock.monotonicMs() - chunk.arrivedMs >= ORPHAN_MS;
    return isOrphan ? orphans++ === 0 : isAllowed && isRecent(chunk.header.epoch);
  });
}

const exceeds = (units: Units, limits: Units): boolean => units.some((unit, i) => unit > (limits[i] as number));

function fill(
  candidates: readonly StoredChunk[],
  { current, blockLimits, producerOf }: PayloadBuilderParts['committees'],
  { timelyUnits, rowsMax }: PayloadBuilderSetting,
  timestampMs: number,
) {
  const count = current.members.length;
  const share = Math.min(1, SHARE_FACTOR / count);
  const placesOfEach = Math.max(1, Math.floor(BLOCK_CHUNKS_MAX / count));
  const taken: StoredChunk[] = [];
  const takenOf = new Map<ValidatorName | undefined, { readonly units: Units; readonly chunks: number }>();
  const shareUnits = timelyUnits.map((limit) => limit * share);
  let total = NO_UNITS;
  let rows = 0;
  const unitLimits = blockLimits({ epoch: current.epoch, timestampMs });
  /** An allowed chunk was left out because its execution would take too long. */
  let isBounded = false;
  const take = (chunk: StoredChunk, withinShare: boolean): boolean => {
    const { units } = chunk.header;
    const producer = producerOf(chunk.header);
    const sum = addUnits(total, units);
    if (taken.length >= BLOCK_CHUNKS_MAX || exceeds(sum, unitLimits)) return false;
    if (rows + chunk.header.rowCount > rowsMax) return false;
    if (taken.length > 0 && exceeds(sum, timelyUnits)) {
      isBounded = true;
      return false;
    }
    const had = takenOf.get(producer) ?? { units: NO_UNITS, chunks: 0 };
    const own = { units: addUnits(had.units, units), chunks: had.chunks + 1 };
    const isOver = own.chunks > placesOfEach || exceeds(own.units, shareUnits);
    if (withinShare && had.chunks > 0 && isOver) return false;
    taken.push(chunk);
    takenOf.set(producer, own);
    total = sum;
    rows += chunk.header.rowCount;
    return true;
  };
  const left = candidates.filter((chunk) => !take(chunk, true));
  for (const chunk of left) take(chunk, false);
  return { taken, isBounded };
}
