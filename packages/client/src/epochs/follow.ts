import type { CertifiedCommittee } from '@slipstream/types';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { EpochCommittees, VerifyAggregate } from './committees.ts';

/**
 * Asks the node for handovers and follows them to its newest epoch. Each page adds epochs that hold, so a lying node cannot make it longer
 * than the chain. Throws ClientError `malformed-answer` for one that does not hold. `verify`: in another thread; default: in this one.
 */
export async function followEpochs(
  client: Pick<Client, 'handovers'>,
  committees: EpochCommittees,
  { verify, ...options }: CallOptions & { readonly verify?: VerifyAggregate } = {},
): Promise<CertifiedCommittee> {
  for (;;) {
    const from = committees.newest().epoch;
    const page = await client.handovers(from, options);
    const followed = await (verify ? committees.followWith(page.items, verify) : committees.follow(page.items));
    if (!followed.ok) throw new ClientError('malformed-answer', followed.error);
    if (page.next === null || followed.value.epoch === from) return followed.value;
  }
}
