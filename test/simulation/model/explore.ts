/** Breadth first, so that a violation has a shortest history. */
import { type Ballot, emptyBallot, nameOf } from './ballot.ts';
import { stepsFrom, type VotingRules } from './voting-rules.ts';

export interface Exploration {
  /** Without those that differ only by names. */
  readonly states: number;
  /** False: `statesMax` ended it. */
  readonly complete: boolean;
  readonly violation: { readonly property: string; readonly history: readonly string[] } | undefined;
}

interface Visit {
  readonly what: string;
  readonly before: Visit | undefined;
}

export type Property = (ballot: Ballot, rules: VotingRules) => string | undefined;

export function explore(rules: VotingRules, property: Property, statesMax: number): Exploration {
  const first = emptyBallot(rules.honest, rules.views);
  const known = new Set([nameOf(first)]);
  let layer = [{ ballot: first, visit: undefined as Visit | undefined }];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const { ballot, visit } of layer) {
      const broken = property(ballot, rules);
      if (broken !== undefined) {
        return { states: known.size, complete: false, violation: { property: broken, history: historyOf(visit) } };
      }
      for (const step of stepsFrom(ballot, rules)) {
        const name = nameOf(step.ballot);
        if (known.has(name)) continue;
        if (known.size >= statesMax) return { states: known.size, complete: false, violation: undefined };
        known.add(name);
        next.push({ ballot: step.ballot, visit: { what: step.what, before: visit } });
      }
    }
    layer = next;
  }
  return { states: known.size, complete: true, violation: undefined };
}

function historyOf(visit: Visit | undefined): string[] {
  const history: string[] = [];
  for (let at = visit; at; at = at.before) history.unshift(at.what);
  return history;
}
