import { EventEmitter } from 'node:events';
import type { PeerKey, PeerStatus } from '@slipstream/ports';
import { describe, expect, it } from 'vitest';
import { createFaultInjection } from '../src/assembly/faults.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [PeerKey, PeerKey, PeerKey];

function world(blockedAtFirst: readonly PeerKey[] = []) {
  const blocked = new Set<PeerKey>(blockedAtFirst);
  const parent = new EventEmitter();
  const desk = createFaultInjection(
    parent,
    {
      block: (peer) => void blocked.add(peer),
      unblock: (peer) => void blocked.delete(peer),
      peers: () => [A, B, C].map((peer) => ({ peer, blocked: blocked.has(peer) }) as PeerStatus),
    },
    false,
  );
  const setFaults = (faults: unknown) => parent.emit('message', { type: 'faults', faults });
  return { blocked, parent, desk, setFaults };
}

describe('fault injection', () => {
  it('cuts the named links, and heals the others', () => {
    const { blocked, setFaults } = world();
    setFaults({ corruptSignatures: false, cutPeers: [A, B] });
    expect([...blocked]).toEqual([A, B]);
    setFaults({ corruptSignatures: false, cutPeers: [B, C] });
    expect([...blocked]).toEqual([B, C]);
    setFaults({ corruptSignatures: false, cutPeers: [] });
    expect([...blocked]).toEqual([]);
  });

  it('does not unblock an offender', () => {
    const { blocked, setFaults } = world([A]);
    setFaults({ corruptSignatures: false, cutPeers: [A, B] });
    setFaults({ corruptSignatures: false, cutPeers: [] });
    expect([...blocked]).toEqual([A]);
  });

  it('switches wrong signatures on and off', () => {
    const { desk, setFaults } = world();
    expect(desk.isCorrupt()).toBe(false);
    setFaults({ corruptSignatures: true, cutPeers: [] });
    expect(desk.isCorrupt()).toBe(true);
    setFaults({ corruptSignatures: false, cutPeers: [] });
    expect(desk.isCorrupt()).toBe(false);
  });

  it('rejects malformed faults, and all after its stop', () => {
    const { blocked, desk, parent, setFaults } = world();
    for (const message of [undefined, 7, null, { type: 'other' }, { type: 'faults' }, { type: 'faults', faults: {} }]) {
      parent.emit('message', message);
    }
    setFaults({ corruptSignatures: 'yes', cutPeers: [A] });
    setFaults({ corruptSignatures: true, cutPeers: ['not a key'] });
    desk.stop();
    setFaults({ corruptSignatures: true, cutPeers: [A] });
    expect([...blocked]).toEqual([]);
    expect(desk.isCorrupt()).toBe(false);
  });
});
