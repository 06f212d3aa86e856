/**
 * Intake: a transaction's way into the pool, from a client or a peer.
 *
 *   bytes --> decode --> known? --> rules --> room? --> balance --> signature --> pool --> forwarder
 *             \------------- screening.ts ------------------/   signature-checks.ts   pool-entry.ts
 *
 * Cheap checks first: only a transaction that would be accepted has its signature verified.
 */
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { Flow } from '../metrics/flow.ts';
import type { AdmissionSetting } from './admission.ts';
import { createAnswers } from './answers.ts';
import { createChecksUnderWay } from './checks-under-way.ts';
import { type ClientIntakeParts, createClientIntake, type Submit } from './client-intake.ts';
import { createPeerIntake, type OnTransactions, type PeerIntakeParts } from './peer-intake.ts';
import { createPoolEntry, type PoolEntryParts } from './pool-entry.ts';
import { createScreening, type ScreeningParts } from './screening.ts';
import type { SignatureChecks } from './signature-checks.ts';

export interface Intake {
  readonly submit: Submit;
  readonly onTransactions: OnTransactions;
  readonly checking: number;
}

type MadeHere = 'answers' | 'checks' | 'screening' | 'enterPool';

type IntakeParts = Omit<ScreeningParts & PoolEntryParts & ClientIntakeParts & PeerIntakeParts, MadeHere> & {
  readonly drops: DropCounter;
  readonly flow: Flow;
  readonly signatures: SignatureChecks;
};

export function createIntake(parts: IntakeParts, setting: AdmissionSetting, limits: DisseminationLimits): Intake {
  const answers = createAnswers(parts, limits);
  const checks = createChecksUnderWay(parts);
  const screening = createScreening({ ...parts, answers, checks }, setting, limits);
  const enterPool = createPoolEntry({ ...parts, answers, screening });
  const own = { answers, checks, screening, enterPool };
  return {
    submit: createClientIntake({ ...parts, ...own }),
    onTransactions: createPeerIntake({ ...parts, ...own }),
    get checking() {
      return checks.count;
    },
  };
}
