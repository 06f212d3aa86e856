/** Parameters of an epoch: fees, times, the root keys whose sessions are accepted, and the artifacts of applications. Equal on every node, and changed at a boundary only. */
import {
  BooleanType,
  ByteVectorType,
  ContainerType,
  ListCompositeType,
  UintBigintType,
  VectorBasicType,
} from '@slipstream/primitives';
import { APPLICATIONS_MAX, BLS_PUBLIC_KEY_BYTES } from '../limits.ts';
import { bytes32, uint32, uint53 } from '../subject-wire.ts';
import { UNIT_DIMENSIONS, type Units } from '../units.ts';

/** By dimension (dissemination.md, "Fees"). */
export interface FeeParameters {
  readonly initialPrices: readonly bigint[];
  readonly minimumPrices: readonly bigint[];
  /** Per block, at which prices do not change. */
  readonly targets: Units;
  readonly limits: Units;
  /** Between two price changes. */
  readonly windowBlocks: number;
}

/** Of consensus (consensus.md, "Timers"); its other times are each node's own. */
export interface TimeParameters {
  readonly delayMs: number;
  readonly graceMs: number;
  readonly leaderTimeoutMs: number;
  readonly viewTimeoutMs: number;
  readonly minBlockIntervalMs: number;
}

export interface EpochParameters {
  readonly fees: FeeParameters;
  readonly times: TimeParameters;
  /** Root BLS keys of accepted session credentials (signatures.md, "Certified sessions"). */
  readonly trustedIssuers: readonly Uint8Array[];
  /** Members that lose their turns as leader lead no view for a while (epochs.md, "Leader reputation"). */
  readonly leaderReputation: boolean;
  /** SHA-256 of the artifact that each application runs, in the order of genesis (applications.md). */
  readonly applications: readonly Uint8Array[];
}

export const TRUSTED_ISSUERS_MAX = 16;
export const WINDOW_BLOCKS_MAX = 1_000_000;
export const TIME_NAMES = [
  'delayMs',
  'graceMs',
  'leaderTimeoutMs',
  'viewTimeoutMs',
  'minBlockIntervalMs',
] as const satisfies readonly (keyof TimeParameters)[];

/** Chunks and transactions expire after 30 s; a producer refuses clients earlier (ownChunkWaitMsMax). */
export const BLOCK_INTERVAL_MS_MAX = 10_000;

const pricesType = new VectorBasicType(new UintBigintType(8), UNIT_DIMENSIONS.length);
const unitsType = new VectorBasicType(uint53, UNIT_DIMENSIONS.length);

export const feeParametersType = new ContainerType({
  initialPrices: pricesType,
  minimumPrices: pricesType,
  targets: unitsType,
  limits: unitsType,
  windowBlocks: uint32,
});

export const timeParametersType = new ContainerType({
  delayMs: uint32,
  graceMs: uint32,
  leaderTimeoutMs: uint32,
  viewTimeoutMs: uint32,
  minBlockIntervalMs: uint32,
});

export const trustedIssuersType = new ListCompositeType(new ByteVectorType(BLS_PUBLIC_KEY_BYTES), TRUSTED_ISSUERS_MAX);

export const epochParametersType = new ContainerType({
  fees: feeParametersType,
  times: timeParametersType,
  trustedIssuers: trustedIssuersType,
  leaderReputation: new BooleanType(),
  applications: new ListCompositeType(bytes32, APPLICATIONS_MAX),
});

/** One sentence per fault. */
export function timeFaults(times: TimeParameters): readonly string[] {
  const { delayMs, graceMs, leaderTimeoutMs, viewTimeoutMs, minBlockIntervalMs } = times;
  const faults: string[] = [];
  if (graceMs < 2 * delayMs) faults.push(`graceMs (${graceMs}) must be at least 2 delayMs (${2 * delayMs})`);
  if (leaderTimeoutMs < graceMs + 3 * delayMs) {
    faults.push(`leaderTimeoutMs (${leaderTimeoutMs}) must be at least graceMs + 3 delayMs (${graceMs + 3 * delayMs})`);
  }
  if (viewTimeoutMs < leaderTimeoutMs + 3 * delayMs) {
    const least = leaderTimeoutMs + 3 * delayMs;
    faults.push(`viewTimeoutMs (${viewTimeoutMs}) must be at least leaderTimeoutMs + 3 delayMs (${least})`);
  }
  if (minBlockIntervalMs > BLOCK_INTERVAL_MS_MAX) {
    const reason = 'what waits longer for a block expires';
    faults.push(`minBlockIntervalMs (${minBlockIntervalMs}) must be at most ${BLOCK_INTERVAL_MS_MAX}: ${reason}`);
  }
  return faults;
}
