/** A peer by name, else by committee index, with its key. */
import type { Peer } from '@slipstream/schema';
import { Hex } from '../../design/hex.tsx';

export function peerTitle({ name, validator, peer }: Peer): string {
  if (name !== undefined && name !== '') return name;
  return validator === null ? `Peer ${peer.slice(0, 10)}…` : `Validator ${validator}`;
}

export function PeerName({ peer }: { readonly peer: Peer }) {
  return (
    <span className="peer-name">
      <b>{peerTitle(peer)}</b>
      <Hex value={peer.peer} what="peer key" />
    </span>
  );
}
