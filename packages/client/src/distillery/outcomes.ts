/**
 * From a broker's word to the end of a row.
 *
 *   outcome of the broker --proof--> as it says: the row ended
 *                            \-----> otherwise: the proof counts, the broker lied
 *                            \-----> none in time: the broker lied, the row is sent again
 */
import { outcomeOf, type RowOutcome, rowIdOf } from '@slipstream/distilled';
import type { Outcomes } from '@slipstream/distilled/stream';
import { to0x } from '@slipstream/primitives';
import { deadlineAfter, eitherSignal } from '../deadline.ts';
import { ClientError } from '../errors.ts';
import type { OwnPlace } from './header-check.ts';
import type { ProvenOutcome, ProveRow, TransferResult } from './options.ts';
import type { PendingRow, SeenIn } from './pending-rows.ts';

export interface OutcomeListeners {
  /** The row is pending no more. */
  settle(row: PendingRow, end: TransferResult | ClientError): void;
  /** It did not end as reported. */
  sendAgain(row: PendingRow): void;
  falseOutcome(reason: string): void;
}

export interface OutcomeJudge {
  /** Of a batch that was shown, a byte for each place. */
  judge(reported: Outcomes, places: readonly OwnPlace[], listeners: OutcomeListeners): void;
  /** Settles a row that ran in a batch that had it. False: none shows that. */
  lookAround(row: PendingRow, settle: OutcomeListeners['settle']): Promise<boolean>;
  close(): void;
}

type Place = Pick<SeenIn, 'batchId' | 'position'>;

/** A block is certified within seconds of being final. */
const PROOF_MS_MAX = 10_000;
const PROOF_RETRY_MS = 200;
/** Of a row that has expired: nothing is awaited any more. */
const LOOK_MS_MAX = 5_000;

export function createOutcomeJudge(prove: ProveRow | undefined): OutcomeJudge {
  const closing = new AbortController();

  async function proven(row: PendingRow, seen: Place, waitMs: number): Promise<ProvenOutcome | undefined> {
    if (prove === undefined) return undefined;
    const signal = eitherSignal(closing.signal, deadlineAfter(waitMs));
    const rowId = to0x(rowIdOf(seen.batchId, seen.position));
    while (!signal.aborted) {
      try {
        return await prove(rowId, signal);
      } catch (error) {
        row.lastReason = error instanceof Error ? error.message : String(error);
        if (waitMs === LOOK_MS_MAX) return undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, PROOF_RETRY_MS));
    }
    return undefined;
  }

  async function judgeOne(row: PendingRow, claim: BrokersClaim, listeners: OutcomeListeners): Promise<void> {
    row.isProving = true;
    const found = await proven(row, claim.seen, PROOF_MS_MAX);
    row.isProving = false;
    if (closing.signal.aborted) return;
    if (found === undefined) {
      listeners.falseOutcome(`no proof of row ${claim.seen.position}: ${row.lastReason ?? 'not in time'}`);
      return listeners.sendAgain(row);
    }
    const isAsReported = JSON.stringify(found.outcome) === JSON.stringify(claim.outcome);
    if (!isAsReported) listeners.falseOutcome(`row ${claim.seen.position} ended otherwise`);
    const { outcome, height, fees, proof } = found;
    await end(row, { seen: claim.seen, outcome, height, fee: feeOf(fees, claim.isStraggler), proof }, listeners);
  }

  async function lookAround(row: PendingRow, settle: OutcomeListeners['settle']): Promise<boolean> {
    if (row.isProving) return true;
    row.isProving = true;
    for (const seen of row.seen.toReversed()) {
      const found = await proven(row, seen, LOOK_MS_MAX);
      if (closing.signal.aborted) return true;
      if (found === undefined || found.outcome.status === 'skipped') continue;
      const { outcome, height, proof } = found;
      // Without a share a row runs by its own signature alone.
      const fee = feeOf(found.fees, row.straggler !== undefined && !seen.isShared);
      settle(row, resultOf(row, { seen, outcome, height, proof, fee }));
      return true;
    }
    row.isProving = false;
    return false;
  }

  /** Another batch has used its sequence: one of those that this client saw, or one with its straggler signature. */
  async function end(row: PendingRow, claim: Claim, { settle }: OutcomeListeners): Promise<void> {
    const { outcome } = claim;
    const isElsewhere = outcome.status === 'skipped' && outcome.reason === 'sequence-used';
    if (isElsewhere && prove !== undefined && (await lookAround(row, settle))) return;
    settle(row, resultOf(row, claim));
  }

  return {
    judge(reported, places, listeners) {
      const byStraggler = new Set(reported.stragglers);
      for (const [i, { row, position }] of places.entries()) {
        if (row === undefined || row.isProving) continue;
        const outcome = outcomeOf(reported.outcomes[i] as number);
        if (outcome === undefined) return listeners.falseOutcome(`${reported.outcomes[i]} is no outcome`);
        const isStraggler = byStraggler.has(i);
        const claim = {
          seen: { batchId: reported.batchId, position },
          outcome,
          height: reported.height,
          isStraggler,
          fee: isStraggler ? reported.stragglerFee : reported.rowFee,
          proof: undefined,
        };
        if (prove === undefined) listeners.settle(row, resultOf(row, claim));
        else void judgeOne(row, claim, listeners);
      }
    },
    lookAround,
    close: () => closing.abort(),
  };
}

interface Claim {
  readonly seen: Place;
  readonly outcome: RowOutcome;
  readonly height: number;
  readonly fee: bigint;
  readonly proof: unknown;
}

interface BrokersClaim extends Claim {
  readonly isStraggler: boolean;
}

function feeOf({ row, straggler }: ProvenOutcome['fees'], isStraggler: boolean): bigint {
  return isStraggler && straggler > 0n ? straggler : row;
}

function resultOf(row: PendingRow, { seen, outcome, height, fee, proof }: Claim): TransferResult | ClientError {
  if (outcome.status === 'skipped') return skipped(row, outcome.reason, height);
  const { sender, sequence } = row.row;
  const rowId = to0x(rowIdOf(seen.batchId, seen.position));
  const { status } = outcome;
  return status === 'success'
    ? { status, rowId, height, sender, sequence, fee, proof }
    : { status, code: outcome.code, rowId, height, sender, sequence, fee, proof };
}

function factsOf({ row, expiryMs }: PendingRow) {
  return { sender: row.sender, sequence: row.sequence, expiryMs };
}

function skipped(row: PendingRow, reason: string, height: number): ClientError {
  const message = `the row of sender ${row.row.sender} with sequence ${row.row.sequence} was skipped in block ${height}: ${reason}`;
  return new ClientError('row-skipped', message, { ...factsOf(row), reason, height });
}

export function expired(row: PendingRow): ClientError {
  const { sender, sequence } = row.row;
  const why = row.lastReason === undefined ? 'no broker took it' : row.lastReason;
  const state = row.mayRun ? 'it may have run: read the last sequence of its sender' : 'it did not run';
  const message = `the row of sender ${sender} with sequence ${sequence} has expired, ${state} (${why})`;
  return new ClientError('row-expired', message, { ...factsOf(row), mayHaveRun: row.mayRun, reason: why });
}

export function refused(row: PendingRow, reason: string): ClientError {
  const { sender, sequence } = row.row;
  const message = `no broker takes the row of sender ${sender} with sequence ${sequence}: ${reason}`;
  return new ClientError('row-refused', message, { ...factsOf(row), reason });
}
