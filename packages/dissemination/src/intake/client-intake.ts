import type { Budgets, IssuerMeter } from '@slipstream/crypto';
import type { Clock } from '@slipstream/ports';
import { type CredentialMemory, decodeTransaction } from '@slipstream/types';
import type { Flow } from '../metrics/flow.ts';
import type { Answers } from './answers.ts';
import { type Candidate, candidatesOf, costOfAll, decodedOf, type Screened } from './candidate.ts';
import type { ChecksUnderWay } from './checks-under-way.ts';
import { copyTransactions } from './copy-transactions.ts';
import { costUnitsOf } from './cost-units.ts';
import { WASTED_WORK_MESSAGE } from './intake-messages.ts';
import type { EnterPool } from './pool-entry.ts';
import type { Screening } from './screening.ts';
import type { SignatureChecks } from './signature-checks.ts';
import type { SubmitResult } from './submit-result.ts';
import { noteBadSignatures, type Verdict } from './verdict.ts';
import { CLIENT_WORK, createWorkBudget } from './work-budget.ts';

/**
 * One result each, in order. Copies the bytes. Never rejects for what they are; rejects when the verifier or a state read fails.
 * `source`: the address whose budget pays for false signatures and credentials.
 */
export type Submit = (transactions: readonly Uint8Array[], source?: string) => Promise<readonly SubmitResult[]>;

export interface ClientIntakeParts {
  readonly clock: Clock;
  readonly credentials: CredentialMemory;
  readonly budgets: Budgets;
  readonly meter: IssuerMeter;
  readonly signatures: Pick<SignatureChecks, 'checkGathered'>;
  readonly flow: Pick<Flow, 'arrived'>;
  readonly checks: ChecksUnderWay;
  readonly answers: Answers;
  readonly screening: Screening;
  readonly enterPool: EnterPool;
}

/** The node itself. */
const LOCAL_SOURCE = 'local';

export function createClientIntake(parts: ClientIntakeParts): Submit {
  const { credentials, checks, answers, screening, enterPool, signatures } = parts;
  const work = createWorkBudget(parts.clock, CLIENT_WORK);

  async function submit(transactions: readonly Uint8Array[], source = LOCAL_SOURCE): Promise<readonly SubmitResult[]> {
    const from = { payer: source, peer: undefined, credit: undefined };
    const wastedMax = source === LOCAL_SOURCE ? Number.POSITIVE_INFINITY : work.left(source);
    const candidates: Candidate[] = [];
    let wasted = 0;
    const screened = copyTransactions(transactions).map((bytes) => {
      if (wasted >= wastedMax) return unread();
      const decoded = decodeTransaction(bytes, credentials);
      const each = screening.byContent(decoded, from, candidates.length);
      if ('candidate' in each) candidates.push(each.candidate);
      else wasted += costUnitsOf(decoded, credentials);
      return each;
    });
    work.charge(source, wasted);
    const checked =
      candidates.length === 0 ? [] : await checks.during(candidates.length, 'client', () => check(candidates, source));
    const refused = candidates.filter((_, i) => checked[i]?.type !== 'accepted');
    work.charge(source, costOfAll(refused, credentials));
    let at = 0;
    return screened.map((each) => ('result' in each ? each.result : (checked[at++] as SubmitResult)));
  }

  function unread(): Screened {
    parts.flow.arrived('client');
    return { result: answers.overVerificationLimit(undefined, WASTED_WORK_MESSAGE) };
  }

  async function check(candidates: readonly Candidate[], source: string): Promise<readonly SubmitResult[]> {
    const screened = await screening.byState(candidates, false);
    const allowed = candidatesOf(screened);
    const payer = { name: source, budget: parts.budgets.of(source) };
    const verdicts = allowed.length === 0 ? [] : await signatures.checkGathered(decodedOf(allowed), payer);
    noteBadSignatures(parts.meter, source, verdicts);
    let at = 0;
    return screened.map((each) =>
      'result' in each ? each.result : enterPool(each.candidate, verdicts[at++] as Verdict, undefined),
    );
  }

  return submit;
}
