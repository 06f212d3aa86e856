/**
 * Takes the network key that the current record names for this node's validator.
 *
 *   record: key new, before old; this node uses old --its turn among the renamed--> its parts are exchanged, with new
 *
 * Both keys are admitted in the epoch, and each node has its own time, so that never many are offline at once.
 */
import { type Identity, memberIn } from '@slipstream/node-home/identity';
import type { Clock, PeerKey } from '@slipstream/ports';
import type { NodeEpochs } from './node-epochs.ts';

/** An exchange takes a second or two. */
const TURN_MS = 6_000;
const FIRST_TURN_MS = 3_000;

export function watchRotation(
  epochs: Pick<NodeEpochs, 'record' | 'onChanged'>,
  keys: Pick<Identity, 'blsKeys' | 'networkKeys'>,
  used: PeerKey,
  { clock }: { readonly clock: Pick<Clock, 'after'> },
  changeIdentity: () => void,
): { stop(): void } {
  let cancel = () => {};

  function check(): void {
    const record = epochs.record();
    const index = memberIn(record, keys);
    const member = index === undefined ? undefined : record.members[index];
    if (member === undefined || member.peerKey === used) return;
    const renamed = record.members.filter(({ previousPeerKey }) => previousPeerKey !== undefined);
    cancel();
    cancel = clock.after(FIRST_TURN_MS + TURN_MS * Math.max(0, renamed.indexOf(member)), changeIdentity);
  }

  epochs.onChanged((change) => {
    if (change === 'moved') check();
  });
  check();
  return { stop: () => cancel() };
}
