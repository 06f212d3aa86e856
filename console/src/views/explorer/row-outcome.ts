import type { DistilledRow } from '@slipstream/schema';
import type { Tone } from '../../design/badge.tsx';

type Outcome = DistilledRow['outcome'];

export const OUTCOME_TONES: Readonly<Record<Outcome['status'], Tone>> = {
  success: 'good',
  failed: 'bad',
  skipped: 'warn',
};

export function outcomeText(outcome: Outcome): string {
  switch (outcome.status) {
    case 'success':
      return 'success';
    case 'failed':
      return `failed: ${outcome.code}; only the fee was charged`;
    case 'skipped':
      return `skipped: ${outcome.reason}; nothing was charged`;
    default:
      return outcome satisfies never;
  }
}
