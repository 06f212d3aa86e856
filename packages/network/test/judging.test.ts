/** Full nodes without a right to a place are no obstacle to other peers, and no maximum is exceeded. */
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { createAdmission, type Occupancy } from '../src/admission.ts';

const [MEMBER, UNKNOWN_PEER] = ['member', 'stranger'] as [PeerKey, PeerKey];
const HOST = '10.0.0.1';
const RATE = { perSecond: 1, burst: 1 };
const LIMITS = {
  connectionsMax: 5,
  connectionsPerAddressMax: 3,
  fullNodesMax: 9,
  arrivalsPerAddress: RATE,
  unknownPeerArrivals: RATE,
};

/** Connections in all and of HOST, and those without a right to a place. */
function judgeWith({ all = 0, ofHost = 0, unknownInAll = 0, unknownOfHost = 0 }) {
  const occupancy: Partial<Occupancy> = {
    isBlocked: () => false,
    has: () => false,
    isUnknown: (peer) => peer === UNKNOWN_PEER,
    fullNodes: 0,
    connections: all,
    fromHost: () => ofHost,
    unknownPeers: (host) => (host === undefined ? unknownInAll : unknownOfHost),
  };
  const clock = { monotonicMs: () => 0, wallMs: () => 0, after: () => () => {} };
  const { judge } = createAdmission({ clock, telemetry: silentTelemetry, occupancy: occupancy as Occupancy }, {
    admit: () => 'full-node',
    limits: LIMITS,
  } as unknown as Parameters<typeof createAdmission>[1]);
  return [MEMBER, UNKNOWN_PEER].map((peer) => judge(peer, HOST));
}

test.each([
  ['connections are free', { all: 4, ofHost: 2 }, [undefined, undefined]],
  ['all connections are in use', { all: 5 }, ['connection-limit', 'connection-limit']],
  ['an unknown peer has one of them', { all: 5, unknownInAll: 1 }, [undefined, 'connection-limit']],
  ['all connections of an address are in use', { all: 3, ofHost: 3 }, ['address-limit', 'address-limit']],
  ['an unknown peer has one of these', { all: 3, ofHost: 3, unknownOfHost: 1 }, [undefined, 'address-limit']],
] as const)('a member and an unknown peer are judged when %s', (_, taken, verdicts) => {
  expect(judgeWith(taken)).toEqual(verdicts);
});
