/** What the check of a shown thing said, in a badge and a sentence. */
import './proof.css';
import { Badge, type Tone } from '../design/badge.tsx';
import { count, timeOfDay } from '../design/format.ts';
import { STEP_WORDS } from './proof-steps.tsx';
import type { Outcome, Verification } from './verify-message.ts';

export const OUTCOMES: Readonly<Record<Outcome, readonly [tone: Tone, word: string]>> = {
  verified: ['good', 'verified'],
  refused: ['bad', 'refused'],
  old: ['warn', 'old'],
  'not-yet': ['plain', 'not yet provable'],
  'not-checked': ['warn', 'not checked'],
};

interface VerdictLineProps {
  /** What was checked: "header", "receipt and content". */
  readonly what: string;
  /** Undefined: it is checked now. */
  readonly verification: Verification | undefined;
}

export function VerdictLine({ what, verification }: VerdictLineProps) {
  const [tone, word] = verification === undefined ? (['info', 'checking'] as const) : OUTCOMES[verification.outcome];
  return (
    <p className="proof-verdict" role="status">
      <Badge tone={tone}>{word}</Badge>
      <span className="small soft">{sentence(what, verification)}</span>
    </p>
  );
}

function sentence(what: string, verification: Verification | undefined): string {
  if (verification === undefined) return `${what}, in this browser`;
  const { outcome, certified, reason, steps, atMs } = verification;
  if (outcome === 'verified' && certified !== null) {
    return `${what}: certified at height ${count(certified.height)}, epoch ${count(certified.epoch)}, checked at ${timeOfDay(atMs)}`;
  }
  if (outcome !== 'refused') return `${what}: ${reason ?? 'no answer'}`;
  const failed = steps.find((step) => step.outcome === 'failed');
  const step = failed === undefined ? '' : ` fails at “${STEP_WORDS[failed.name]}”`;
  return `This node’s answer does not hold. ${what}${step}: ${reason}`;
}
