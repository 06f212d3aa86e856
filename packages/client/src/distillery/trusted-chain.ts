/** Committees of the chain, followed to the node's newest epoch when a proof is to be checked: not at each one. */
import type { Client } from '../client.ts';
import type { EpochCommittees } from '../epochs/committees.ts';
import { followEpochs } from '../epochs/follow.ts';

/** Certificates of a new epoch are checked with this delay at most. */
const FOLLOW_MS = 5_000;

/** Throws ClientError. */
export type TrustedChain = () => Promise<EpochCommittees>;

export function createTrustedChain(
  client: Pick<Client, 'handovers'>,
  committees: EpochCommittees,
  nowMs: () => number,
): TrustedChain {
  let following: Promise<unknown> | undefined;
  let followedMs: number | undefined;
  return async () => {
    if (followedMs === undefined || nowMs() - followedMs > FOLLOW_MS) {
      following ??= followEpochs(client, committees).finally(() => {
        following = undefined;
      });
      await following;
      followedMs = nowMs();
    }
    return committees;
  };
}
