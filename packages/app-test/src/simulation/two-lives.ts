/**
 * One application on two states that get the same calls. The realm of the first one lives as long as the simulation; the other one's is
 * thrown away and loaded again when it crashes. What differs between them came from a realm's memory.
 */

import { isDeepStrictEqual } from 'node:util';
import { TestError } from '../errors.ts';
import type { Call, Execution, Outcome } from '../execution.ts';
import { createNodeExecution } from '../node/node-execution.ts';
import { assertEqualRealms, failureCode, failureText } from '../outcomes.ts';
import type { Prepared } from '../prepare.ts';

export interface TwoLives {
  /** Of the realm that is never thrown away. */
  readonly execution: Execution;
  /** Throws TestError `realms-differ`, `invariant-broken`. */
  call(name: string, call: Call): Outcome;
  crash(): void;
  /** Throws TestError `realms-differ` where the entries of both states differ. */
  assertEqualStates(): void;
}

interface Start {
  readonly genesis: Uint8Array;
  readonly coins: readonly (readonly [account: Uint8Array, amount: bigint])[];
}

/** Throws TestError `genesis-failed`. */
export function createTwoLives({ build, used, load }: Prepared, { genesis, coins }: Start): TwoLives {
  const [kept, other] = [createNodeExecution(build), createNodeExecution(build)];
  let crashing = load();

  for (const execution of [kept, other]) for (const [account, amount] of coins) execution.setBalance(account, amount);
  const began = kept.genesis(used, genesis);
  assertEqualRealms('genesis', began, other.genesis(crashing, genesis));
  if (failureCode(began.result) !== undefined)
    throw new TestError('genesis-failed', `genesis failed with ${failureText(began.result)}`);

  function assertInvariants(name: string): void {
    const broken = kept.invariants(used);
    if (broken.length === 0) return;
    const message = `after ${name} the invariant ${broken.join(' and ')} does not hold`;
    throw new TestError('invariant-broken', message, { invariants: broken });
  }

  assertInvariants('genesis');
  return {
    execution: kept,
    call(name, call) {
      const outcome = kept.call(used, call);
      assertEqualRealms(name, outcome, other.call(crashing, call));
      assertInvariants(name);
      return outcome;
    },
    crash() {
      crashing = load();
    },
    assertEqualStates() {
      if (isDeepStrictEqual(kept.entries, other.entries)) return;
      throw new TestError('realms-differ', 'the two states have different entries after the same calls');
    },
  };
}
