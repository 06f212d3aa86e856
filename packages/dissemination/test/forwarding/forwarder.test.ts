import { describe, expect, it } from 'vitest';
import { createForwarder } from '../../src/forwarding/forwarder.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { genesisOf, peerKey } from '../harness/network.ts';

const MEMBERS = [0, 1, 2, 3].map((index) => ({ index, peerKey: peerKey(index) }));

function forwarderAt(intervalMs: number, memberIndex?: number) {
  const away = new Set<number>();
  const sent: string[] = [];
  const timers: { readonly ms: number; fire(): void }[] = [];
  const forwarder = createForwarder(
    {
      transport: {
        send: (peer: string) => sent.push(peer) > 0,
        peers: () => MEMBERS.map(({ index, peerKey: peer }) => ({ peer, connected: !away.has(index), blocked: false })),
      },
      clock: {
        after(ms: number, fire: () => void) {
          timers.push({ ms, fire });
          return () => {};
        },
      },
      drops: {},
      blockInterval: { intervalMs },
      committees: genesisCommittees(genesisOf(4), memberIndex),
      ackWishes: { has: () => false },
    } as unknown as Parameters<typeof createForwarder>[0],
    { forwardDelayMs: 25, homeFallbackMs: 1_500 },
  );
  const add = (home: number) =>
    forwarder.add({ id: ID, bytes: new Uint8Array(40), senderKey: senderOf(home) }, undefined);
  return { add, away, sent, timers };
}

const ID = '00'.repeat(32);
const senderOf = (home: number): Uint8Array => new Uint8Array(32).with(0, home);

describe('the forwarder', () => {
  it('sends the gathered transactions in one frame per home', () => {
    const { add, sent, timers } = forwarderAt(0);
    for (const home of [1, 2, 1, 1]) add(home);
    expect(sent).toEqual([]);
    timers[0]?.fire();
    expect(sent).toEqual([peerKey(1), peerKey(2)]);
  });

  it.each([
    ['a validator', 0],
    ['a full node', undefined],
  ])('forwards again once %s that was alone is connected', (_, memberIndex) => {
    const { add, away, sent, timers } = forwarderAt(0, memberIndex);
    const pass = () => timers.splice(0).forEach(({ fire }) => void fire());
    for (const { index } of MEMBERS) away.add(index);
    add(1);
    pass();
    away.clear();
    add(1);
    pass();
    expect(sent).toEqual([peerKey(1)]);
  });

  it.each([
    [0, 25],
    [100, 25],
    [400, 50],
    [2_000, 100],
  ])('at a block interval of %i ms gathers for %i ms', (intervalMs, gatherMs) => {
    const { add, timers } = forwarderAt(intervalMs);
    add(1);
    expect(timers.map(({ ms }) => ms)).toEqual([gatherMs]);
  });
});
