/**
 * Which peers this node stays connected to: the configured ones, and the members of the current and the next record.
 *
 * Genesis places are the configuration's business: an operator may reach its peers by other addresses. A member that genesis does not have
 * so is dialled by its record.
 */
import type { PeerAddress } from '@slipstream/network';
import type { PeerKey } from '@slipstream/ports';
import type { EpochRecord, Genesis } from '@slipstream/types';

/** Of a full node that knows too few members: so many are dialled by their records. */
const MEMBERS_OF_FULL_NODE = 4;

interface Dialled {
  readonly configured: readonly PeerAddress[];
  readonly genesis: Pick<Genesis, 'members'>;
  /** The current one, then the sealed next one. */
  readonly records: readonly EpochRecord[];
  readonly self: PeerKey;
  readonly isValidator: boolean;
}

export function dialledPeers({ configured, genesis, records, self, isValidator }: Dialled): readonly PeerAddress[] {
  const places = new Map<PeerKey, string>(configured.map(({ peer, address }) => [peer, address]));
  const ofGenesis = new Map<PeerKey, string>(genesis.members.map(({ peerKey, address }) => [peerKey, address]));
  const recorded = records.flatMap(({ members }) =>
    members.flatMap(({ peerKey, previousPeerKey, address }) =>
      (previousPeerKey === undefined ? [peerKey] : [peerKey, previousPeerKey]).map((peer) => ({ peer, address })),
    ),
  );
  const members = new Set(recorded.map(({ peer }) => peer));
  const isNew = ({ peer, address }: PeerAddress) => peer !== self && ofGenesis.get(peer) !== address;
  if (isValidator) {
    for (const member of recorded) if (isNew(member)) places.set(member.peer, member.address);
    return listOf(places);
  }
  const successors = successorsOf(records);
  for (const peer of [...places.keys()]) {
    const successor = successors.get(peer);
    if (successor !== undefined) places.set(successor.peer, successor.address);
  }
  let known = [...places.keys()].filter((peer) => members.has(peer)).length;
  for (const member of spread(recorded.filter(isNew), self)) {
    const isListed = places.has(member.peer);
    if (!isListed && known >= MEMBERS_OF_FULL_NODE) continue;
    places.set(member.peer, member.address);
    if (!isListed) known += 1;
  }
  return listOf(places);
}

/** By the network key before: a peer stays wanted when its key changes. */
function successorsOf(records: readonly EpochRecord[]): ReadonlyMap<PeerKey, PeerAddress> {
  const successors = new Map<PeerKey, PeerAddress>();
  for (const { members } of records) {
    for (const { peerKey: peer, previousPeerKey, address } of members) {
      if (previousPeerKey !== undefined) successors.set(previousPeerKey, { peer, address });
    }
  }
  return successors;
}

/** Begins at another member for each node, so that full nodes do not all choose the same. */
function spread(members: readonly PeerAddress[], self: PeerKey): readonly PeerAddress[] {
  const from = members.length === 0 ? 0 : Number.parseInt(self.slice(0, 8), 16) % members.length;
  return [...members.slice(from), ...members.slice(0, from)];
}

function listOf(places: ReadonlyMap<PeerKey, string>): readonly PeerAddress[] {
  return [...places].map(([peer, address]) => ({ peer, address }));
}
