/** Peers in the committee of an epoch that begins. */
import type { Peer } from './answers.ts';
import type { EventData } from './events.ts';

/** A member that changes its network key is listed once, under its new one. */
export function peersAfter(
  peers: ReadonlyMap<string, Peer>,
  { members }: EventData<'epoch.begun'>,
): ReadonlyMap<string, Peer> {
  const indices = new Map(members.map(({ index, peer }) => [peer, index]));
  const renamed = new Map(members.flatMap(({ peer, previousPeer }) => (previousPeer ? [[previousPeer, peer]] : [])));
  const after = new Map<string, Peer>();
  for (const known of peers.values()) {
    const peer = renamed.get(known.peer) ?? known.peer;
    if (peer !== known.peer && peers.has(peer)) continue;
    const validator = indices.get(peer) ?? null;
    const role = validator !== null ? 'validator' : known.role === 'validator' ? 'full-node' : known.role;
    after.set(peer, { ...known, peer, validator, role });
  }
  return after;
}
