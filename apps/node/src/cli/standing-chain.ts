/** Which validators of a standing chain have whole logs, and the chain's view. */

import type { Terminal } from '@slipstream/command-line';
import type { Status } from '@slipstream/schema';
import { type Committee, isQuorum, weightOf } from '@slipstream/types';
import { NodeError } from '../errors.ts';
import { clientFor } from './node-url.ts';

export interface Answers {
  readonly statuses: readonly Status[];
  /** One text per node that did not answer, with its URL. */
  readonly failures: readonly string[];
}

export interface StandingChain {
  /** The highest view of all answers. */
  readonly view: number;
  /** Validators that sign. */
  readonly whole: readonly number[];
  readonly refusing: readonly number[];
  /** Did not answer, or still query their signing history: their logs may be lost. */
  readonly unknown: readonly number[];
}

export async function askNodes(urls: readonly (string | undefined)[], terminal: Terminal): Promise<Answers> {
  const asked = await Promise.allSettled(urls.map((url) => clientFor(url, terminal).status()));
  return {
    statuses: asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
    failures: asked.flatMap((each, at) =>
      each.status === 'rejected' ? [`${urls[at] ?? 'the default URL'}: ${reasonOf(each.reason)}`] : [],
    ),
  };
}

export function standingChain(statuses: readonly Status[], committee: Committee, self: number): StandingChain {
  const signingOf = new Map(statuses.map(({ node, signing }) => [node.validator, signing?.state]));
  const others = committee.members.map(({ index }) => index).filter((index) => index !== self);
  return {
    view: Math.max(0, ...statuses.map(({ view }) => view)),
    whole: others.filter((index) => signingOf.get(index) === 'signing'),
    refusing: others.filter((index) => signingOf.get(index) === 'refused'),
    unknown: others.filter((index) => !['signing', 'refused'].includes(signingOf.get(index) ?? '')),
  };
}

/**
 * Each quorum must have a validator that answered with a whole log: else the chain's progress is unknown, and rule 5a cannot end a view.
 * Throws NodeError `request-failed`.
 */
export function refuseTooFew({ whole, unknown }: StandingChain, { failures }: Answers, committee: Committee): void {
  const meetEveryQuorum = (members: readonly number[]) =>
    !isQuorum(committee.totalWeight - weightOf(members, committee), committee);
  if (meetEveryQuorum(whole)) return;
  const have = `validators whose write-ahead logs are whole have ${weightOf(whole, committee)} of the weight of ${committee.totalWeight} here`;
  const least = 'at least a third is needed';
  if (meetEveryQuorum([...whole, ...unknown])) {
    const message = `${have}, and ${least}: name the nodes of ${named(unknown)} with --url too, and start them until they sign. Nothing was changed`;
    const unanswered = failures.map((failure) => `\n  no answer from ${failure}`).join('');
    throw new NodeError('request-failed', message + unanswered);
  }
  const message =
    `${have}, and ${least}: no validator knows what was finalized, and this chain cannot continue. Find the data folder of one more ` +
    'validator as it was when it stopped; else begin a new chain from the last final state. Nothing was changed';
  throw new NodeError('request-failed', message);
}

export function chainText({ view, whole, refusing, unknown }: StandingChain, { failures }: Answers): readonly string[] {
  return [
    ...failures.map((failure) => `no answer from ${failure}`),
    `the chain is in view ${view}; whole logs: ${named(whole)}`,
    ...(refusing.length === 0 ? [] : [`refusing to sign: ${named(refusing)}`]),
    ...(unknown.length === 0
      ? []
      : [`not asked, without an answer, or still querying what they signed: ${named(unknown)}`]),
  ];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function named(members: readonly number[]): string {
  if (members.length === 0) return 'none';
  return `validator${members.length === 1 ? '' : 's'} ${members.join(', ')}`;
}
