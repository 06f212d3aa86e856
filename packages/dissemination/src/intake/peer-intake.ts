import type { Budgets, IssuerMeter } from '@slipstream/crypto';
import type { Clock, PeerKey } from '@slipstream/ports';
import {
  type CredentialMemory,
  decodeFrame,
  decodeTransaction,
  hexOf,
  isIssuerFault,
  type TransactionId,
} from '@slipstream/types';
import type { Reports } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import type { AckWishes } from '../forwarding/ack-wishes.ts';
import type { TrustedForwarders } from '../forwarding/trusted-forwarders.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { Mempool } from '../pool/mempool.ts';
import { type Candidate, candidatesOf, costOfAll, decodedOf } from './candidate.ts';
import type { ChecksUnderWay } from './checks-under-way.ts';
import { copyTransactions } from './copy-transactions.ts';
import { costUnitsOf } from './cost-units.ts';
import { createPeerCredit } from './peer-credit.ts';
import type { EnterPool } from './pool-entry.ts';
import type { Screening } from './screening.ts';
import type { SignatureChecks } from './signature-checks.ts';
import type { SubmitResult } from './submit-result.ts';
import { noteBadSignatures, type Verdict } from './verdict.ts';
import { createWorkBudget, PEER_WORK, VALIDATOR_WORK } from './work-budget.ts';

/** A `transactions` frame with its kind byte. Settles when all are judged. */
export type OnTransactions = (from: PeerKey, frame: Uint8Array) => Promise<void>;

export interface PeerIntakeParts {
  readonly clock: Clock;
  readonly reports: Reports;
  readonly credentials: CredentialMemory;
  readonly budgets: Budgets;
  readonly meter: IssuerMeter;
  readonly signatures: Pick<SignatureChecks, 'checkForwarded'>;
  readonly trustedForwarders: Pick<TrustedForwarders, 'isTrusted'>;
  readonly drops: DropCounter;
  readonly checks: ChecksUnderWay;
  readonly screening: Screening;
  readonly enterPool: EnterPool;
  readonly wishes: AckWishes;
  readonly pool: Pick<Mempool, 'has'>;
  readonly committees: Pick<Committees, 'validatorOf'>;
}

interface Outcome {
  /** Cost units of the unaccepted ones. */
  readonly wasted: number;
  /** Transactions by authority. */
  readonly good: number;
  readonly bad: number;
}

interface ScreenedFrame {
  readonly candidates: readonly Candidate[];
  /** Cost units of the others. */
  readonly wasted: number;
  readonly isMalformed: boolean;
  /** Not decoded: the peer's work budget was spent. */
  readonly unread: number;
}

export function createPeerIntake(parts: PeerIntakeParts): OnTransactions {
  const { reports, credentials, signatures, drops, checks, screening, enterPool, committees } = parts;
  const credit = createPeerCredit();
  const works = {
    validator: createWorkBudget(parts.clock, VALIDATOR_WORK),
    peer: createWorkBudget(parts.clock, PEER_WORK),
  };

  async function onTransactions(from: PeerKey, frame: Uint8Array): Promise<void> {
    const validator = committees.validatorOf(from);
    const source = validator ?? from;
    const work = validator === undefined ? works.peer : works.validator;
    const wastedMax = work.left(source);
    if (wastedMax === 0) return drops.add('peer-limit');
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'transactions') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a transactions frame' : decoded.error.message);
      return;
    }
    const { transactions, awaited } = decoded.value.value;
    const wastedWishes = takeWishes(awaited, from, transactions.length);
    const { candidates, wasted, isMalformed, unread } = screen(
      transactions,
      { payer: from, peer: from, credit: validator === undefined ? credit : undefined },
      wastedMax,
    );
    // Once for a frame, which may hold hundreds.
    if (isMalformed) reports.offence(from, 'malformed-frame', 'forwarded what is no transaction');
    const count = candidates.length;
    if (unread > 0) drops.add('peer-limit', unread);
    const isUnknown = validator === undefined;
    if (isUnknown) credit.startChecks(from, count);
    let outcome: Outcome = { wasted: costOfAll(candidates, credentials), good: 0, bad: 0 };
    try {
      if (count > 0) outcome = await checks.during(count, 'peer', () => check(candidates, from));
    } finally {
      if (isUnknown) credit.endChecks(from, count, outcome);
      work.charge(source, wasted + wastedWishes + outcome.wasted);
    }
  }

  /** Returns their cost units: of repeated wishes, and of those for what is neither here nor in the frame. */
  function takeWishes(awaited: readonly TransactionId[], from: PeerKey, transactions: number): number {
    let useless = 0;
    for (const each of awaited) {
      const id = hexOf(each);
      const isNew = parts.wishes.add(id, from);
      if (!isNew || !parts.pool.has(id)) useless++;
    }
    return Math.max(0, useless - transactions);
  }

  function screen(
    transactions: readonly Uint8Array[],
    source: Parameters<Screening['byContent']>[1],
    wastedMax: number,
  ): ScreenedFrame {
    const candidates: Candidate[] = [];
    let isMalformed = false;
    let read = 0;
    let wasted = 0;
    for (const bytes of copyTransactions(transactions)) {
      if (wasted >= wastedMax) break;
      read += 1;
      const decoded = decodeTransaction(bytes, credentials);
      const screened = screening.byContent(decoded, source, candidates.length);
      if ('candidate' in screened) candidates.push(screened.candidate);
      else {
        wasted += costUnitsOf(decoded, credentials);
        isMalformed ||= isOffence(screened.result);
      }
    }
    return { candidates, wasted, isMalformed, unread: transactions.length - read };
  }

  async function check(candidates: readonly Candidate[], from: PeerKey): Promise<Outcome> {
    const allowed = candidatesOf(await screening.byState(candidates, parts.trustedForwarders.isTrusted(from)));
    const payer = { name: from, budget: parts.budgets.of(from) };
    const verdicts = await signatures.checkForwarded(decodedOf(allowed), payer);
    noteBadSignatures(parts.meter, from, verdicts);
    let offence: string | undefined;
    const outcome = { wasted: costOfAll(candidates, credentials), good: 0, bad: 0 };
    for (let i = 0; i < allowed.length; i++) {
      const candidate = allowed[i] as Candidate;
      const verdict = verdicts[i] as Verdict;
      const cost = costUnitsOf(candidate.decoded, credentials);
      if (enterPool(candidate, verdict, from).type === 'accepted') outcome.wasted -= cost;
      if (verdict === 'good') outcome.good += 1;
      // Its sender may be in another epoch (E9).
      if (verdict === 'good' || verdict === 'not-now' || isIssuerFault(verdict)) continue;
      outcome.bad += 1;
      offence ??= `forwarded ${candidate.id} without authority: ${verdict}`;
    }
    if (offence !== undefined) reports.offence(from, 'invalid-signature', offence);
    return outcome;
  }

  return onTransactions;
}

/** An honest node decodes before it forwards. */
function isOffence(result: SubmitResult): boolean {
  return result.type === 'rejected' && result.reason === 'malformed';
}
