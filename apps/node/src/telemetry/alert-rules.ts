import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus';
import { type Signing, whyNotSigning } from '@slipstream/schema';
import type { AlertRule, Vitals } from './alert-rule.ts';
import { AHEAD_MS } from './clock-watch.ts';
import { EPOCH_ALERT_RULES } from './epoch-alert-rules.ts';

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
      'One key is in use twice, usually on two machines, or stolen. Stop every machine with it. Nodes with an account report the evidence, ' +
      'and the next seal removes the validator: it joins again with new keys. The evidence is under Peers and at /v1/evidence.',
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
  ...EPOCH_ALERT_RULES,
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
