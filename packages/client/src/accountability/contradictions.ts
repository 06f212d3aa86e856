/**
 * Pairs of certificates whose common signers broke a rule. Two quorums share more than a third of the weight.
 *
 *   I1      two blocks notarized in one view
 *   I2      one view finalized and nullified
 *   rule 6  two blocks finalized in one view
 *   I5      two blocks, or two states of one block, certified in one view
 *
 * No honest validator signs both of a pair, whatever others do.
 */
import { type Certificate, type Subject, subjectKey } from '@slipstream/types';
import type { Judge } from './judge.ts';

export type BrokenRule = 'I1' | 'I2' | 'I5' | 'rule 6';

export interface Contradiction {
  readonly rule: BrokenRule;
  readonly first: Certificate;
  readonly second: Certificate;
  /** Committee indices, ascending: the signers of both. */
  readonly culprits: readonly number[];
}

const ONE_PER_VIEW = { notarize: 'I1', finalize: 'rule 6', certify: 'I5' } as const;

/** `a` and `b` differ. */
function brokenRule(a: Subject, b: Subject): BrokenRule | undefined {
  // Views of two epochs overlap, and their messages contradict nothing (W10).
  if (a.epoch !== b.epoch || a.view !== b.view) return undefined;
  if (a.kind === 'nullify' || b.kind === 'nullify') {
    return a.kind === 'finalize' || b.kind === 'finalize' ? 'I2' : undefined;
  }
  return a.kind === b.kind ? ONE_PER_VIEW[a.kind] : undefined;
}

/** One for each pair of statements; only of certificates that hold. */
export function findContradictions(certificates: readonly Certificate[], judge: Judge): readonly Contradiction[] {
  return [...byViewAndSubject(certificates).values()].flatMap((statements) => {
    const list = [...statements.values()];
    return list.flatMap((first, at) => list.slice(at + 1).flatMap((second) => contradictionOf(first, second, judge)));
  });
}

/** Certificates of one statement may differ in signers, or be forged. */
function byViewAndSubject(certificates: readonly Certificate[]) {
  const views = new Map<string, Map<string, Certificate[]>>();
  for (const certificate of certificates) {
    const { subject } = certificate;
    const place = `${subject.epoch}/${subject.view}`;
    const statements = views.get(place) ?? new Map<string, Certificate[]>();
    views.set(place, statements);
    const key = subjectKey(subject);
    statements.set(key, [...(statements.get(key) ?? []), certificate]);
  }
  return views;
}

function contradictionOf(
  firsts: readonly Certificate[],
  seconds: readonly Certificate[],
  judge: Judge,
): readonly Contradiction[] {
  const [a, b] = [firsts[0], seconds[0]];
  const rule = a && b && brokenRule(a.subject, b.subject);
  if (rule === undefined) return [];
  const [first, second] = [firsts.find(judge.holds), seconds.find(judge.holds)];
  if (first === undefined || second === undefined) return [];
  const signers = new Set(second.signers);
  return [{ rule, first, second, culprits: first.signers.filter((signer) => signers.has(signer)) }];
}
