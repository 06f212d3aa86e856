import type { Alert, Signing } from '@slipstream/schema';
import type { AccountVitals } from '../account/reports.ts';
import type { OldTrust } from '../epochs/checkpoint.ts';
import type { EpochVitals } from '../operator/epoch-watch.ts';

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
  /** Actions in quarantine: application.action. */
  readonly quarantined: readonly string[];
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
  /** Undefined until the node has begun to look what it has to report. */
  readonly account: AccountVitals | undefined;
  /** At this start, before it caught up. */
  readonly oldTrust: OldTrust | undefined;
}

export interface AlertRule {
  readonly name: string;
  readonly severity: Alert['severity'];
  readonly threshold: string;
  readonly remedy: string;
  message(vitals: Vitals): string | undefined;
}
