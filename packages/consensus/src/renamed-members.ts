/**
 * Renamed members: a member that takes another network key at a boundary is named in each core by the record of that core's epoch.
 *
 *   core e: before  <--record e+1 names both keys-->  core e+1: after
 *
 * INVARIANT (E9): the one name is no stranger's in the other epoch. Blocks go over to the new name (rule 10).
 */
import type { PeerKey } from '@slipstream/ports';
import { type Committee, committeeOfRecord, type EpochRecord } from '@slipstream/types';
import type { CoreSetting } from './context.ts';
import type { Core } from './core.ts';
import type { Effect, Event } from './events.ts';

export interface MemberNames {
  /** In the epoch before the record's. */
  before(peer: PeerKey): PeerKey;
  /** In the record's epoch. */
  after(peer: PeerKey): PeerKey;
}

/** Undefined: no record of a later epoch is known. */
export function namesIn(record: EpochRecord | undefined): MemberNames {
  const pairs = (record?.members ?? []).flatMap(({ peerKey, previousPeerKey }) =>
    previousPeerKey === undefined ? [] : [[peerKey, previousPeerKey] as const],
  );
  const olds = new Map(pairs);
  const news = new Map(pairs.map(([after, before]) => [before, after]));
  return { before: (peer) => olds.get(peer) ?? peer, after: (peer) => news.get(peer) ?? peer };
}

/** The event itself, unless its peer has another name: frames are many. */
export function eventWithPeer(event: Event, nameOf: (peer: PeerKey) => PeerKey): Event {
  switch (event.type) {
    case 'consensus-frame':
    case 'proposal':
    case 'heartbeat':
    case 'fetched':
      return nameOf(event.from) === event.from ? event : { ...event, from: nameOf(event.from) };
    case 'peer-connected':
    case 'peer-behind':
    case 'offence':
      return { ...event, peer: nameOf(event.peer) };
    default:
      return event;
  }
}

export function effectWithPeer(effect: Effect, nameOf: (peer: PeerKey) => PeerKey): Effect {
  switch (effect.type) {
    case 'block-peer':
      return { ...effect, peer: nameOf(effect.peer) };
    case 'resend':
    case 'resend-proposal':
      return effect.to === undefined ? effect : { ...effect, to: nameOf(effect.to) };
    default:
      return effect;
  }
}

interface Predecessor {
  readonly core: Core;
  readonly setting: Pick<CoreSetting, 'committee'>;
}

/** What the core of the epoch before passes on. Heights: a node that catches up through epochs goes on at once. */
export function passedOn({ core, setting }: Predecessor, next: EpochRecord) {
  const { before } = namesIn(next);
  const { members } = committeeOfRecord(next);
  const { finalHeightOf } = core.state().remembered;
  const reported = new Map(setting.committee.members.map(({ peerKey, index }) => [peerKey, finalHeightOf[index]]));
  const blocked = new Set(core.status().blocked.map((member) => setting.committee.members[member]?.peerKey));
  return {
    finalHeightOf: members.map(({ peerKey }) => reported.get(before(peerKey)) ?? 0),
    blocked: blockedIn(blocked, before, members),
  };
}

/** Rule 10: the same peers, as far as less than a third of the new weight is blocked. */
function blockedIn(
  peers: ReadonlySet<PeerKey | undefined>,
  before: MemberNames['before'],
  members: Committee['members'],
): readonly number[] {
  return members.flatMap(({ peerKey, index }) => (peers.has(before(peerKey)) ? [index] : []));
}
