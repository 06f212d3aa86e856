/** What a light client trusts: committees followed from genesis or a checkpoint, and checks of what nodes say against them. */
import type { CertificateAggregate } from '@slipstream/crypto/browser';
import { fail, type Result } from '@slipstream/primitives';
import type { EpochCommittees } from '../epochs/committees.ts';
import { followEpochs } from '../epochs/follow.ts';
import type { AggregateVerifier } from './aggregates.ts';
import { createFollowedHandovers, type Fork, type HandoverSource } from './followed-handovers.ts';

export interface LightChain {
  readonly committees: EpochCommittees;
  /** Follows the node's handovers. True: epochs became known. Throws ClientError; `malformed-answer` for what does not hold. */
  follow(source: HandoverSource, signal?: AbortSignal): Promise<boolean>;
  /** Of a node whose certificate or handover does not hold: the handover at which its chain leaves this one. Throws ClientError. */
  forkOf(source: HandoverSource, signal: AbortSignal): Promise<Fork | undefined>;
  /** `check` judges all but aggregates, which are verified in the worker. It must not follow handovers. */
  judge<T, E extends Fault>(check: Check<T, E>): Promise<Result<T, JudgedFault<E>>>;
}

export type Check<T, E extends Fault> = (committees: EpochCommittees) => Result<T, E>;

interface Fault {
  readonly message: string;
}

export interface JudgedFault<E> extends Fault {
  /** Whose committee is not known: so nothing is said about what was judged. */
  readonly unknownEpoch?: number | undefined;
  /** What `check` said. */
  readonly refusal?: E | undefined;
}

/** A proof has one; more would be a check that is asked for too much. */
const AGGREGATES_MAX = 64;
const FALSE = { message: 'the aggregate is not a signature of these validators on this chain' };

export function createLightChain(committees: EpochCommittees, { verify }: AggregateVerifier): LightChain {
  const followed = createFollowedHandovers(committees, verify);
  let following: Promise<unknown> = Promise.resolve();

  async function followNow(source: HandoverSource, signal: AbortSignal | undefined): Promise<boolean> {
    const before = committees.newest().epoch;
    const { client, note } = followed.noting(source);
    // Some may have held before one that does not.
    await followEpochs(client, committees, { verify, ...(signal && { signal }) }).finally(note);
    return committees.newest().epoch > before;
  }

  return {
    committees,
    follow(source, signal) {
      const done = following.then(() => followNow(source, signal));
      following = done.catch(() => {});
      return done;
    },
    forkOf: (source, signal) => followed.forkOf(source, { signal }),
    async judge(check) {
      const aggregates: CertificateAggregate[] = [];
      let unknownEpoch: number | undefined;
      const judgeWith = (aggregateHolds: (aggregate: CertificateAggregate) => boolean) =>
        check({
          ...committees.withCheck(aggregateHolds),
          of(epoch) {
            const committee = committees.of(epoch);
            if (committee === undefined) unknownEpoch = epoch;
            return committee;
          },
        });
      const judged = judgeWith((aggregate) => {
        aggregates.push(aggregate);
        return aggregates.length <= AGGREGATES_MAX;
      });
      if (!judged.ok) return fail({ message: judged.error.message, unknownEpoch, refusal: judged.error });
      let held = 0;
      for (const aggregate of aggregates) {
        if (await verify(aggregate)) held += 1;
        else break;
      }
      if (held === aggregates.length) return judged;
      // Again, so that the check itself names the step that fails.
      let asked = 0;
      const refused = judgeWith(() => asked++ < held);
      return fail(refused.ok ? FALSE : { message: refused.error.message, refusal: refused.error });
    },
  };
}
