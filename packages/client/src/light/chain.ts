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
  judge<T>(check: (committees: EpochCommittees) => Result<T, Fault>): Promise<Result<T, JudgedFault>>;
}

interface Fault {
  readonly message: string;
}

interface JudgedFault extends Fault {
  /** Whose committee is not known: so nothing is said about what was judged. */
  readonly unknownEpoch?: number | undefined;
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
      const view: EpochCommittees = {
        ...committees.withCheck((aggregate) => {
          aggregates.push(aggregate);
          return aggregates.length <= AGGREGATES_MAX;
        }),
        of(epoch) {
          const committee = committees.of(epoch);
          if (committee === undefined) unknownEpoch = epoch;
          return committee;
        },
      };
      const judged = check(view);
      if (!judged.ok) return fail({ message: judged.error.message, unknownEpoch });
      for (const aggregate of aggregates) if (!(await verify(aggregate))) return fail(FALSE);
      return judged;
    },
  };
}
