import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus';
import { type Alert, type Signing, whyNotSigning } from '@slipstream/schema';
import type { EpochVitals } from '../operator/epoch-watch.ts';
import { AHEAD_MS } from './clock-watch.ts';

export interface Vitals {
  readonly nowMs: number;
  /** Time since the last final block, or this node's start. */
  readonly sinceFinalMs: number;
  readonly finalSinceStart: boolean;
  /** Age of the newest committed block; undefined without one. */
  readonly headAgeMs: number | undefined;
  /** Lower bound of the next block's timestamp. */
  readonly earliestMs: number;
  /** Members with a recent message and this node, over the total weight. */
  readonly reachableWeightShare: number;
  readonly commitLagBlocks: number;
  readonly outOfOffenderBudget: boolean;
  readonly halted: string | undefined;
  /** The disk error that stops the node. */
  readonly diskFailed: string | undefined;
  /** Why log lines are lost; undefined: none are. */
  readonly logLost: string | undefined;
  /** Blocks from the committed height to the chain's reported height. */
  readonly behindBlocks: number;
  /** No peer has the block of this height, which this node needs next. */
  readonly missingHeight: number | undefined;
  /** Share of the views that ended within the last minute. */
  readonly nullifiedShare: number;
  readonly endedViews: number;
  /** The same share for views that this validator led. */
  readonly ownNullifiedShare: number;
  readonly ownEndedViews: number;
  readonly blockedValidators: readonly number[];
  /** No recent message, and not blocked. */
  readonly offlineValidators: readonly number[];
  /** Members with recent evidence, and with recent invalid votes. */
  readonly equivocators: readonly number[];
  readonly offenders: readonly number[];
  readonly syncMsP99: number | undefined;
  /** This node's clock minus the validators'; undefined: not measurable. */
  readonly clockOffsetMs: number | undefined;
  /** Their blocks carry future timestamps. */
  readonly fastLeaders: readonly number[];
  readonly diskFreeBytes: number | undefined;
  /** null on a full node. */
  readonly signing: Signing | null;
  readonly uptimeMs: number;
  /** Members that report to vote for nothing in the current view, this one included. */
  readonly refusingValidators: readonly number[];
  /** Reachable members that do not refuse, this node included, over the total weight. */
  readonly votingWeightShare: number;
  /** Undefined until the state was read. */
  readonly epoch: EpochVitals | undefined;
}

interface AlertRule {
  readonly name: string;
  readonly severity: Alert['severity'];
  readonly threshold: string;
  readonly remedy: string;
  message(vitals: Vitals): string | undefined;
}

const MIB = 1024 * 1024;
const DISK_LOW_BYTES = 2048 * MIB;
const DISK_FULL_BYTES = 256 * MIB;
/** Each vote waits for one fsync; above this a validator misses views of a fast network. */
const SYNC_SLOW_MS = 250;
const BEHIND_BLOCKS = 8;
const NULLIFIED_SHARE_MAX = 0.2;
/** A share of fewer views is not significant. */
const VIEWS_MIN = 5;
/** A healthy leader rarely loses a view. */
const OWN_NULLIFIED_SHARE_MAX = 0.5;

/** A boundary comes a few views after the seal is certified. */
const SEALED_BLOCKS_MAX = 64;

const NO_FINALITY_MS = 10_000;
const COMMIT_LAG_BLOCKS = 20;
/** A healthy start waits about as long as it takes to connect to peers. */
const QUERYING_MS = 10_000;

export const SIGNING_REFUSED_REMEDY =
  'It votes again when the chain has passed that view. If it waits for answers, start those validators, or check the links to them. ' +
  'If the chain stands still since too many validators refuse: docs/operators/recover-a-standing-chain.md.';

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'no-finality',
    severity: 'critical',
    threshold: `no block final for ${NO_FINALITY_MS / 1000} s`,
    remedy:
      'See Peers: the chain stalls while a third of the voting weight is offline. Start those validators, or repair the network.',
    message: (vitals) => (vitals.sinceFinalMs > NO_FINALITY_MS ? noFinality(vitals) : undefined),
  },
  {
    name: 'quorum-unreachable',
    severity: 'critical',
    threshold: 'validators with at most two thirds of the voting weight reachable within 5 s',
    remedy: "Check this node's network first, then the validators listed as lost under Peers.",
    message: ({ reachableWeightShare }) =>
      reachableWeightShare * 3 <= 2
        ? `only ${Math.round(reachableWeightShare * 100)} percent of the voting weight is reachable from this node`
        : undefined,
  },
  {
    name: 'validator-offline',
    severity: 'warning',
    threshold: 'no message from a validator for 5 s',
    remedy:
      'Peers shows why it cannot be reached. Start it, or check its log and network. A node that halted (full disk, digest mismatch) says why in its last log lines. ' +
      'The chain stalls once a third of the voting weight is offline.',
    message: ({ offlineValidators }) =>
      offlineValidators.length > 0 ? `${validators(offlineValidators)} cannot be reached from this node` : undefined,
  },
  {
    name: 'commit-lag',
    severity: 'warning',
    threshold: `more than ${COMMIT_LAG_BLOCKS} ordered blocks not committed`,
    remedy:
      'Execution or the disk is too slow for the load, or the node is syncing. See Storage, and the stages of a block under Timeline.',
    message: ({ commitLagBlocks }) =>
      commitLagBlocks > COMMIT_LAG_BLOCKS ? `${commitLagBlocks} ordered blocks are not committed` : undefined,
  },
  {
    name: 'too-many-offenders',
    severity: 'critical',
    threshold: 'a third of the weight blocked',
    remedy: 'So many offenders indicate a fault of this node: check its keys, its genesis file and its version.',
    message: ({ outOfOffenderBudget }) =>
      outOfOffenderBudget
        ? 'blocking more offenders would block a third of the voting weight; further ones are reported only'
        : undefined,
  },
  {
    name: 'halted',
    severity: 'critical',
    threshold: 'the pipeline halted',
    remedy:
      'Check its files (slipstream state verify), then: slipstream state rebuild. It keeps the data as evidence, and the next start takes the state from the peers.',
    message: ({ halted }) => halted,
  },
  {
    name: 'disk-failed',
    severity: 'critical',
    threshold: 'a write to the disk failed, and the node stops',
    remedy:
      'Free space, or replace the disk, then start the node again: it continues from its durable state. Nothing is lost.',
    message: ({ diskFailed }) => diskFailed,
  },
  {
    name: 'equivocation',
    severity: 'critical',
    threshold: 'evidence of conflicting signatures within 10 minutes',
    remedy:
      'One key is in use twice, usually on two machines. Stop the second machine before unblocking the validator. ' +
      'The evidence is under Peers and at /v1/evidence.',
    message: ({ equivocators }) =>
      equivocators.length > 0 ? `${validators(equivocators)} signed conflicting messages` : undefined,
  },
  {
    name: 'bad-votes',
    severity: 'warning',
    threshold: 'a bisection found invalid votes within the last minute',
    remedy:
      'Ask its operator to check the key, the genesis file, the version and the memory of the machine. The cost is under ' +
      'Signatures. Unblock it under Peers once fixed.',
    message: ({ offenders }) =>
      offenders.length > 0 ? `votes of ${validators(offenders)} were invalid and found by bisection` : undefined,
  },
  {
    name: 'validator-blocked',
    severity: 'warning',
    threshold: 'this node blocks a validator of the committee',
    remedy:
      'Peers shows the reason and the evidence. Ask its operator to check the node, and unblock it under Peers once fixed.',
    message: ({ blockedValidators }) =>
      blockedValidators.length > 0 ? `${validators(blockedValidators)} is blocked by this node` : undefined,
  },
  {
    name: 'views-nullified',
    severity: 'warning',
    threshold: `more than ${NULLIFIED_SHARE_MAX * 100} percent of the views of the last minute nullified`,
    remedy:
      'Timeline lists their leaders, which are offline, slow or partitioned. Start them, or check their network and disk.',
    message: ({ nullifiedShare, endedViews }) =>
      endedViews >= VIEWS_MIN && nullifiedShare > NULLIFIED_SHARE_MAX
        ? `${Math.round(nullifiedShare * 100)} percent of recent views were nullified`
        : undefined,
  },
  {
    name: 'own-views-lost',
    severity: 'warning',
    threshold: `more than ${OWN_NULLIFIED_SHARE_MAX * 100} percent of the views led by this validator in the last minute nullified`,
    remedy:
      'The blocks of this validator reach the others too late. Set consensus.preset and consensus.minBlockIntervalMs to the values of the other validators: a leader that waits ' +
      'longer than their interval and leaderTimeoutMs loses its view. If they are equal, check the load, disk and network of this machine, and whether the others block it (their Peers view shows why).',
    message: ({ ownNullifiedShare, ownEndedViews }) =>
      ownEndedViews >= VIEWS_MIN && ownNullifiedShare > OWN_NULLIFIED_SHARE_MAX
        ? `${Math.round(ownNullifiedShare * 100)} percent of the views led by this validator were nullified`
        : undefined,
  },
  {
    name: 'signing-refused',
    severity: 'warning',
    threshold: `this validator refuses to sign up to a view, or for ${QUERYING_MS / 1000} s has too few answers to know what it signed`,
    remedy: SIGNING_REFUSED_REMEDY,
    message: ({ signing, uptimeMs }) =>
      signing?.state === 'querying' && uptimeMs <= QUERYING_MS ? undefined : notSigning(signing),
  },
  {
    name: 'recovery-needed',
    severity: 'critical',
    threshold: 'the chain stands although a quorum is reachable: too many validators refuse to sign',
    remedy:
      'Recover each validator that lost its log: slipstream keys recover-history --chain-stands-still, as in ' +
      'docs/operators/recover-a-standing-chain.md.',
    message: refusedByTooMany,
  },
  {
    name: 'sealed-not-closed',
    severity: 'warning',
    threshold: `more than ${SEALED_BLOCKS_MAX} blocks since a record was sealed, and its epoch has not begun`,
    remedy:
      'The chain goes on with the present committee. Compare the record at /v1/epochs with other nodes, and see whether leaders run the same version and have certified state.',
    message: ({ epoch }) =>
      epoch?.isSealed && epoch.blocksSinceSeal > SEALED_BLOCKS_MAX
        ? `epoch ${epoch.epoch + 1} is sealed and has not begun`
        : undefined,
  },
  {
    name: 'not-ready',
    severity: 'warning',
    threshold: "the chain waits for the readiness of this node's next keys, or of this candidate",
    remedy: 'Start the node with these keys. When it is synced and connected: slipstream validator ready.',
    message: ({ epoch }) =>
      epoch?.ownKey === 'awaited' ? 'this validator has not reported readiness with its new keys' : undefined,
  },
  {
    name: 'version-unknown',
    severity: 'warning',
    threshold: 'a record or an open proposal names a version of the rules that this program does not know',
    remedy:
      'Install a program that knows it, then report: slipstream validator ready. A node that does not know the version of an epoch stops at its beginning.',
    message: ({ epoch }) =>
      epoch?.unknownVersion === undefined
        ? undefined
        : `version ${epoch.unknownVersion} of the rules is proposed or sealed, and this program does not know it`,
  },
  {
    name: 'benched',
    severity: 'warning',
    threshold: 'this validator leads no view, because it lost its turns',
    remedy:
      'Find why its blocks came too late: Storage, Peers, the log. Once it is well, from the height in the message on: slipstream validator ready. It votes meanwhile.',
    message: ({ epoch }) =>
      epoch?.benchedUntil === undefined
        ? undefined
        : `this validator lost its turns and leads no view; its readiness counts from height ${epoch.benchedUntil} on`,
  },
  {
    name: 'removed',
    severity: 'warning',
    threshold: 'this validator is no longer in the committee',
    remedy:
      'Stop it, or run it as a full node with keys.bls empty. Erase its BLS key: slipstream keys retire. It may join again with a new key.',
    message: ({ epoch }) => (epoch?.ownKey === 'removed' ? 'this validator was removed from the committee' : undefined),
  },
  {
    name: 'retired-key-loaded',
    severity: 'warning',
    threshold: 'the loaded BLS key was replaced, and no longer signs',
    remedy: 'Erase it: slipstream keys retire. Then restart the node, which has its next keys.',
    message: ({ epoch }) =>
      epoch?.ownKey === 'retired' ? 'this node has loaded a BLS key that a rotation replaced' : undefined,
  },
  {
    name: 'behind',
    severity: 'warning',
    threshold: `more than ${BEHIND_BLOCKS} blocks behind the chain`,
    remedy:
      'The node syncs by itself after a stop. If the distance does not shrink, check Storage, the load of the machine, and Peers.',
    message: ({ behindBlocks }) =>
      behindBlocks > BEHIND_BLOCKS ? `this node is ${behindBlocks} blocks behind the chain` : undefined,
  },
  {
    name: 'stranded',
    severity: 'critical',
    threshold: 'behind the chain, no peer has the next block, and there is no state to take over',
    remedy:
      'Peers have pruned these blocks. Let this node take over a state: sync.distance above 0, retention.archive off, room on the disk, and a peer ' +
      'that serves snapshots (sync.snapshotEvery above 0). An archive needs another archive among its peers.',
    message: ({ missingHeight }) =>
      missingHeight === undefined
        ? undefined
        : `no connected peer has block ${missingHeight}, which this node needs next`,
  },
  {
    name: 'clock-off',
    severity: 'warning',
    threshold: `this clock ${AHEAD_MS / 1000} s ahead of the validators' or ${FUTURE_TIMESTAMP_MS / 1000} s behind, or a leader's ${FUTURE_TIMESTAMP_MS / 1000} s ahead of this one`,
    remedy:
      'Synchronize the clock of that machine with a time service (chronyc tracking, timedatectl). Until then a validator ' +
      'whose clock is ahead has its blocks rejected, and a validator whose clock is behind does not vote.',
    message: ({ clockOffsetMs: offsetMs, fastLeaders }) => {
      if (offsetMs !== undefined && (offsetMs > AHEAD_MS || offsetMs < -FUTURE_TIMESTAMP_MS)) {
        return `the clock of this machine is ${seconds(offsetMs)} ${offsetMs > 0 ? 'ahead of' : 'behind'} the validators'`;
      }
      return fastLeaders.length > 0 ? `the clock of ${validators(fastLeaders)} is ahead of the others'` : undefined;
    },
  },
  {
    name: 'slow-disk',
    severity: 'warning',
    threshold: `WAL fsync latency p99 above ${SYNC_SLOW_MS} ms`,
    remedy: 'Votes wait for the disk. Find other programs that write to it, or give the node a disk of its own.',
    message: ({ syncMsP99 }) =>
      syncMsP99 !== undefined && syncMsP99 > SYNC_SLOW_MS
        ? `WAL fsync latency is ${Math.round(syncMsP99)} ms (p99)`
        : undefined,
  },
  {
    name: 'log-lost',
    severity: 'warning',
    threshold: 'a line of the log could not be written',
    remedy:
      'The node goes on, and counts the lines that are lost. Free space where its log is written. If the reader of its output ended, start the node again with a reader.',
    message: ({ logLost }) => (logLost === undefined ? undefined : `the log cannot be written: ${logLost}`),
  },
  {
    name: 'disk-low',
    severity: 'warning',
    threshold: `less than ${DISK_LOW_BYTES / MIB} MiB free`,
    remedy: 'Free space, enlarge the disk, or lower retention.blocks: the node stops when it cannot write.',
    message: ({ diskFreeBytes }) => lowDiskSpace(diskFreeBytes, DISK_LOW_BYTES),
  },
  {
    name: 'disk-full',
    severity: 'critical',
    threshold: `less than ${DISK_FULL_BYTES / MIB} MiB free`,
    remedy:
      'Free space now. A node that cannot write its log stops at once, and starts again without loss when there is room.',
    message: ({ diskFreeBytes }) => lowDiskSpace(diskFreeBytes, DISK_FULL_BYTES),
  },
];

/** A quorum is reachable, but too many refuse. */
function refusedByTooMany(vitals: Vitals): string | undefined {
  const { refusingValidators, votingWeightShare, reachableWeightShare, sinceFinalMs } = vitals;
  const stands = sinceFinalMs > NO_FINALITY_MS && reachableWeightShare * 3 > 2 && votingWeightShare * 3 <= 2;
  if (!stands || refusingValidators.length === 0) return undefined;
  const verb = refusingValidators.length === 1 ? 'refuses' : 'refuse';
  return `${validators(refusingValidators)} ${verb} to sign this far, and the others are no quorum: the chain does not go on by itself`;
}

function notSigning(signing: Signing | null): string | undefined {
  const why = whyNotSigning(signing);
  return why && `this validator ${why}`;
}

/** After a restart the newest block's age comes from its timestamp. */
function noFinality({ sinceFinalMs, finalSinceStart, headAgeMs, earliestMs, nowMs }: Vitals): string {
  const seconds = Math.round(sinceFinalMs / 1000);
  if (earliestMs - nowMs > FUTURE_TIMESTAMP_MS) {
    const wait = age(earliestMs - nowMs);
    return `no block was finalized for ${seconds} s: the newest block is ${wait} ahead of this machine's clock, and this node does not vote until then`;
  }
  if (finalSinceStart) return `no block was finalized for ${seconds} s`;
  const head = headAgeMs === undefined ? 'there is no block yet' : `the newest block is ${age(headAgeMs)} old`;
  return `no block was finalized since this node started ${seconds} s ago; ${head}`;
}

function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

/** Whole seconds, so that small changes raise no new alert. */
function seconds(offsetMs: number): string {
  const length = Math.abs(offsetMs);
  return length < 1000 ? 'less than a second' : `about ${Math.round(length / 1000)} s`;
}

function validators(members: readonly number[]): string {
  return `validator${members.length === 1 ? '' : 's'} ${members.join(', ')}`;
}

function lowDiskSpace(freeBytes: number | undefined, limitBytes: number): string | undefined {
  return freeBytes !== undefined && freeBytes < limitBytes
    ? `only ${Math.floor(freeBytes / MIB)} MiB are free on the disk`
    : undefined;
}
