/** What a light client trusts: committees followed from genesis or a checkpoint, and checks of what nodes say against them. */
import type { CertificateAggregate } from '@slipstream/crypto/browser';
import { fail, type Result } from '@slipstream/primitives';
import type { Client } from '../client.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import { followEpochs } from '../epochs/follow.ts';
import type { AggregateVerifier } from './aggregates.ts';

export interface LightChain {
  readonly committees: EpochCommittees;
  /** Follows the node's handovers. True: epochs became known. Throws ClientError; `malformed-answer` for what does not hold. */
  follow(client: Pick<Client, 'handovers'>, signal?: AbortSignal): Promise<boolean>;
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
  let following: Promise<unknown> = Promise.resolve();

  async function followNow(client: Pick<Client, 'handovers'>, signal: AbortSignal | undefined): Promise<boolean> {
    const before = committees.newest().epoch;
    await followEpochs(client, committees, { verify, ...(signal && { signal }) });
    return committees.newest().epoch > before;
  }

  return {
    committees,
    follow(client, signal) {
      const followed = following.then(() => followNow(client, signal));
      following = followed.catch(() => {});
      return followed;
    },
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
