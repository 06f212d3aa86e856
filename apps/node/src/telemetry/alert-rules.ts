/** The rules: each says what is wrong, from when on it counts, and what to do. */
import { FUTURE_TIMESTAMP_MS } from '@slipstream/consensus';
import type { Alert } from '@slipstream/schema';
import { AHEAD_MS } from './clock-watch.ts';

/** What the rules look at, once a second. */
export interface Vitals {
  readonly nowMs: number;
  /** Since a block was final here, or since the start of this node when none was. */
  readonly sinceFinalMs: number;
  readonly finalSinceStart: boolean;
  /** Age of the newest block that was committed here; undefined: there is none. */
  readonly headAgeMs: number | undefined;
  /** No block may be older: the time of the newest one, or of genesis. */
  readonly earliestMs: number;
  /** Weight that was heard within the last seconds, this node included, over the total. */
  readonly heardShare: number;
  readonly commitLagBlocks: number;
  readonly outOfOffenderBudget: boolean;
  readonly halted: string | undefined;
  /** What the disk refused, which ends the node. */
  readonly diskFailed: string | undefined;
  /** Heights that a quorum has passed and this node has not. */
  readonly behindBlocks: number;
  /** Of the views that ended within the last minute, and how many these were. */
  readonly givenUpShare: number;
  readonly endedViews: number;
  /** Of the views that this validator led within the last minute, and how many these were. */
  readonly ownGivenUpShare: number;
  readonly ownEndedViews: number;
  readonly blockedValidators: readonly number[];
  /** Not heard within the last seconds, and not blocked. */
  readonly silentValidators: readonly number[];
  /** Members who signed two things lately, and members whose bad votes were found lately. */
  readonly equivocators: readonly number[];
  readonly offenders: readonly number[];
  /** Undefined: not known yet. */
  readonly syncMsP99: number | undefined;
  /** This node's clock less the validators'; undefined: nobody can tell. */
  readonly clockOffsetMs: number | undefined;
  /** Leaders whose blocks come from the future. */
  readonly fastLeaders: readonly number[];
  readonly diskFreeBytes: number | undefined;
}

export interface AlertRule {
  readonly name: string;
  readonly severity: Alert['severity'];
  readonly threshold: string;
  readonly remedy: string;
  /** The message when it holds. */
  message(vitals: Vitals): string | undefined;
}

const MIB = 1024 * 1024;
const DISK_LOW_BYTES = 2048 * MIB;
const DISK_FULL_BYTES = 256 * MIB;
/** A follower's vote waits for one sync: more than this and it misses the views of a fast network. */
const SYNC_SLOW_MS = 250;
const BEHIND_BLOCKS = 8;
const GIVEN_UP_SHARE = 0.2;
/** Fewer say nothing yet. */
const VIEWS_JUDGED = 5;
/** A leader that is well loses one in many; of few, by chance, none. */
const OWN_GIVEN_UP_SHARE = 0.5;

const NO_FINALITY_MS = 10_000;
const COMMIT_LAG_BLOCKS = 20;

export const ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'no-finality',
    severity: 'critical',
    threshold: `no block final for ${NO_FINALITY_MS / 1000} s`,
    remedy: 'Look at Peers: a third of the weight being away stops the chain. Start those nodes, or heal the network.',
    message: (vitals) => (vitals.sinceFinalMs > NO_FINALITY_MS ? noFinality(vitals) : undefined),
  },
  {
    name: 'quorum-unreachable',
    severity: 'critical',
    threshold: 'two thirds of the weight or less heard within 5 s',
    remedy: "Check this node's network first, then the validators listed as lost under Peers.",
    message: ({ heardShare }) =>
      heardShare * 3 <= 2 ? `only ${Math.round(heardShare * 100)} percent of the weight is heard from here` : undefined,
  },
  {
    name: 'validator-away',
    severity: 'warning',
    threshold: 'a validator not heard for 5 s',
    remedy:
      'Peers says why it cannot be reached. Start it, or look at its log and its network. One that stopped itself (full disk, halted) says why in its last lines. ' +
      'The chain stands still once a third of the weight is away.',
    message: ({ silentValidators }) =>
      silentValidators.length > 0 ? `${validators(silentValidators)} cannot be heard from here` : undefined,
  },
  {
    name: 'commit-lag',
    severity: 'warning',
    threshold: `commit more than ${COMMIT_LAG_BLOCKS} blocks behind order`,
    remedy:
      'Execution or the disk is too slow for the load, or the node is catching up. Look at Storage and the block Gantt.',
    message: ({ commitLagBlocks }) =>
      commitLagBlocks > COMMIT_LAG_BLOCKS ? `${commitLagBlocks} ordered blocks are not committed` : undefined,
  },
  {
    name: 'too-many-offenders',
    severity: 'critical',
    threshold: 'a third of the weight blocked',
    remedy: 'So many offenders mean that this node itself is wrong: check its keys, its genesis file and its version.',
    message: ({ outOfOffenderBudget }) =>
      outOfOffenderBudget ? 'a third of the weight would be blocked; further offenders are only watched' : undefined,
  },
  {
    name: 'halted',
    severity: 'critical',
    threshold: 'the pipeline stopped for good',
    remedy: 'Keep the data folder. Compare with another node, then state-sync into a fresh folder.',
    message: ({ halted }) => halted,
  },
  {
    name: 'disk-failed',
    severity: 'critical',
    threshold: 'a write to the disk failed, and the node stops',
    remedy:
      'Free space, or replace the disk, then start the node again: it goes on from what is durable. Nothing is lost.',
    message: ({ diskFailed }) => diskFailed,
  },
  {
    name: 'equivocation',
    severity: 'critical',
    threshold: 'evidence of two signatures that exclude each other, within 10 minutes',
    remedy:
      'One key is used twice: usually two machines run with it. Find the second one and stop it before it is unblocked. ' +
      'The evidence is under Peers and at /v1/evidence.',
    message: ({ equivocators }) =>
      equivocators.length > 0 ? `${validators(equivocators)} signed two things that exclude each other` : undefined,
  },
  {
    name: 'bad-votes',
    severity: 'warning',
    threshold: 'a bisection found bad votes within the last minute',
    remedy:
      'Its operator has to look: wrong key, wrong genesis file, wrong version or bad memory. What it cost is under ' +
      'Signatures; unblock it under Peers when it is mended.',
    message: ({ offenders }) =>
      offenders.length > 0 ? `votes of ${validators(offenders)} did not verify and were found by bisection` : undefined,
  },
  {
    name: 'validator-blocked',
    severity: 'warning',
    threshold: 'a validator of the committee is blocked here',
    remedy: 'Peers shows why, with the evidence. Unblock it there once its operator has mended it.',
    message: ({ blockedValidators }) =>
      blockedValidators.length > 0 ? `${validators(blockedValidators)} is refused here` : undefined,
  },
  {
    name: 'views-given-up',
    severity: 'warning',
    threshold: `more than ${GIVEN_UP_SHARE * 100} percent of the views of the last minute given up`,
    remedy:
      'Timeline names their leaders: these are away, too slow or cut off. Start them, or look at their network and disk.',
    message: ({ givenUpShare, endedViews }) =>
      endedViews >= VIEWS_JUDGED && givenUpShare > GIVEN_UP_SHARE
        ? `${Math.round(givenUpShare * 100)} percent of the last views were given up`
        : undefined,
  },
  {
    name: 'own-views-lost',
    severity: 'warning',
    threshold: `more than ${OWN_GIVEN_UP_SHARE * 100} percent of the views that this validator led within the last minute given up`,
    remedy:
      'Its blocks come too late for the others. consensus.preset and consensus.minBlockIntervalMs must be as theirs: a leader that waits ' +
      'longer than their interval and leaderTimeoutMs is given up. If they are, look at the load of this machine, its disk and its network; or the others refuse it, and their Peers say why.',
    message: ({ ownGivenUpShare, ownEndedViews }) =>
      ownEndedViews >= VIEWS_JUDGED && ownGivenUpShare > OWN_GIVEN_UP_SHARE
        ? `${Math.round(ownGivenUpShare * 100)} percent of the views that this validator led were given up`
        : undefined,
  },
  {
    name: 'behind',
    severity: 'warning',
    threshold: `more than ${BEHIND_BLOCKS} blocks behind the chain`,
    remedy:
      'It catches up by itself after a stop. If the distance does not shrink, look at Storage, at the load of the machine, and at Peers.',
    message: ({ behindBlocks }) =>
      behindBlocks > BEHIND_BLOCKS ? `this node is ${behindBlocks} blocks behind the chain` : undefined,
  },
  {
    name: 'clock-off',
    severity: 'warning',
    threshold: `this clock ${AHEAD_MS / 1000} s ahead of the validators' or ${FUTURE_TIMESTAMP_MS / 1000} s behind, or a leader's ${FUTURE_TIMESTAMP_MS / 1000} s ahead of this one`,
    remedy:
      'Set the clock of that machine by a time service (chronyc tracking, timedatectl), then look again. Until then a validator ' +
      'whose clock is ahead has its blocks passed over, and one whose clock is behind votes for nobody: it counts as away.',
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
    threshold: `99 of 100 syncs of the log within more than ${SYNC_SLOW_MS} ms`,
    remedy: 'Its votes wait for the disk. Find what else writes there, or give the node a disk of its own.',
    message: ({ syncMsP99 }) =>
      syncMsP99 !== undefined && syncMsP99 > SYNC_SLOW_MS
        ? `the log takes ${Math.round(syncMsP99)} ms to sync`
        : undefined,
  },
  {
    name: 'disk-low',
    severity: 'warning',
    threshold: `less than ${DISK_LOW_BYTES / MIB} MiB free`,
    remedy: 'Free space, enlarge the disk, or lower retention.blocks: the node stops when it cannot write.',
    message: ({ diskFreeBytes }) => tooLittle(diskFreeBytes, DISK_LOW_BYTES),
  },
  {
    name: 'disk-full',
    severity: 'critical',
    threshold: `less than ${DISK_FULL_BYTES / MIB} MiB free`,
    remedy:
      'Free space now. A node that cannot write its log stops at once, and starts again without loss when there is room.',
    message: ({ diskFreeBytes }) => tooLittle(diskFreeBytes, DISK_FULL_BYTES),
  },
];

/** A node that was restarted knows of earlier blocks by their own time alone. */
function noFinality({ sinceFinalMs, finalSinceStart, headAgeMs, earliestMs, nowMs }: Vitals): string {
  const seconds = Math.round(sinceFinalMs / 1000);
  if (earliestMs - nowMs > FUTURE_TIMESTAMP_MS) {
    const wait = age(earliestMs - nowMs);
    return `no block was final for ${seconds} s: by this clock the chain is ${wait} in the future, and nothing is voted for until then`;
  }
  if (finalSinceStart) return `no block was final for ${seconds} s`;
  const head = headAgeMs === undefined ? 'it has none yet' : `its newest one is ${age(headAgeMs)} old`;
  return `no block was final since this node started ${seconds} s ago; ${head}`;
}

/** The largest unit of which it has two. */
function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

/** In whole seconds once it has some: what changes by the way of a block is no other alert. */
function seconds(offsetMs: number): string {
  const length = Math.abs(offsetMs);
  return length < 1000 ? 'less than a second' : `about ${Math.round(length / 1000)} s`;
}

function validators(members: readonly number[]): string {
  return `validator${members.length === 1 ? '' : 's'} ${members.join(', ')}`;
}

function tooLittle(freeBytes: number | undefined, limitBytes: number): string | undefined {
  return freeBytes !== undefined && freeBytes < limitBytes
    ? `only ${Math.floor(freeBytes / MIB)} MiB are free on the disk`
    : undefined;
}
