import { asId, type ChunkId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createChunkRateController } from '../../src/control/chunk-rate-controller.ts';
import { createUncertifiedReferences } from '../../src/proposals/uncertified-references.ts';
import { accountOf, block, createTestNetwork, peerKey, transaction } from '../harness/network.ts';
import { build, submit } from '../harness/steps.ts';

function clockAt() {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return clock;
}

const paceAt = (clock = clockAt(), blockInterval = { intervalMs: 0 }) =>
  createChunkRateController({ clock, blockInterval: blockInterval });

describe('the chunk rate', () => {
  it('is at most the block rate, and at least one per second', () => {
    const blockInterval = { intervalMs: 800 };
    const pace = paceAt(clockAt(), blockInterval);
    expect(pace.intervalMs).toBe(800);
    blockInterval.intervalMs = 1_700;
    expect(pace.intervalMs).toBe(1_000);
    blockInterval.intervalMs = 50;
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('grows by steps while certification is fast, up to its maximum', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    const certified = (afterMs: number, delayMs: number) => {
      clock.now += afterMs;
      return pace.recordCertification(delayMs);
    };
    certified(0, 20);
    certified(0, 2_000);
    const before = pace.intervalMs;
    expect(certified(100, 20)).toBe(false);
    expect(pace.intervalMs).toBeLessThan(before);
    for (let i = 0; i < 1_000; i++) certified(100, 20);
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('falls by a share when certification is slow, once an interval, down to its minimum', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.recordCertification(20);
    const before = pace.intervalMs;
    expect(pace.recordCertification(2_000)).toBe(true);
    const once = pace.intervalMs;
    expect(once).toBeGreaterThan(before * 1.3);
    pace.recordCertification(2_000);
    expect(pace.intervalMs).toBe(once);
    for (let i = 0; i < 10; i++) {
      clock.now += 2_000;
      pace.recordCertification(2_000);
    }
    expect(pace.intervalMs).toBeCloseTo(1_000 / 1.5);
  });

  it('falls for certification above the target, before it counts as slow', () => {
    const pace = paceAt();
    pace.recordCertification(20);
    const before = pace.intervalMs;
    expect(pace.recordCertification(150)).toBe(false);
    expect(pace.intervalMs).toBeGreaterThan(before);
  });

  it('judges slowness relative to the links: a distant network is not slow for its distance', () => {
    const pace = paceAt();
    expect(pace.recordCertification(400)).toBe(false);
    expect(pace.recordCertification(1_000)).toBe(false);
    expect(pace.recordCertification(1_300)).toBe(true);
  });
});

describe('the best recent delay', () => {
  /** Steady slow certifications until the first that does not count as slow. */
  function slowForMs(everyMs: number): number {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.recordCertification(20);
    do clock.now += everyMs;
    while (pace.recordCertification(400));
    return clock.now;
  }

  it('is forgotten by time, however rare certifications are', () => {
    const often = slowForMs(400);
    expect(often).toBeGreaterThan(30_000);
    expect(Math.abs(slowForMs(5_000) - often)).toBeLessThan(often / 5);
  });

  it('and the rate are what they were before a late one, after one in time that is as old as a probe', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.recordCertification(20);
    pace.recordCertification(150);
    expect(pace.intervalMs).toBeGreaterThan(1_000 / 3);
    clock.now += 5_000;
    pace.recordCertification(20);
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });
});

describe('uncertified references', () => {
  it('end with a failed view or a slow peer, and return after a while without', () => {
    const clock = clockAt();
    let suspensions = 0;
    const events = { certificatesNeeded: () => void suspensions++ };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    expect(uncertifiedReferences.allowed).toBe(true);
    const payload = [{ certificate: undefined }];
    uncertifiedReferences.trackBlock({ view: 5, parentView: 4, payload } as never);
    expect([uncertifiedReferences.allowed, suspensions]).toEqual([true, 0]);
    uncertifiedReferences.trackBlock({ view: 6, parentView: 4, payload } as never);
    expect([uncertifiedReferences.allowed, suspensions]).toEqual([false, 1]);
    clock.now = 4_999;
    expect(uncertifiedReferences.allowed).toBe(false);
    clock.now = 5_000;
    expect(uncertifiedReferences.allowed).toBe(true);
    uncertifiedReferences.suspend();
    expect([uncertifiedReferences.allowed, uncertifiedReferences.suspendedMs]).toEqual([false, 5_000]);
  });

  it('go on when a view fails without a block, or with certified references only', () => {
    const clock = clockAt();
    const events = { certificatesNeeded() {} };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    const certified = [{ certificate: {} }];
    uncertifiedReferences.proposed({ view: 6, payload: certified } as never);
    uncertifiedReferences.trackBlock({ view: 8, parentView: 4, payload: certified } as never);
    expect(uncertifiedReferences.allowed).toBe(true);
  });

  it('end too when the block of the failed view was not voted for here', async () => {
    const network = createTestNetwork();
    const payload = [{ chunkId: asId<ChunkId>(new Uint8Array(32).fill(77)), certificate: undefined }];
    const lost = block({ parentId: network.genesisId, payload, height: 2 });
    const next = block({ parentId: network.genesisId, payload: [], height: 3 });
    const asked = new AbortController();
    const node = network.node(1);
    const verdict = node.dissemination.checkPayload(lost.id, lost.block, asked.signal).catch((cause) => cause);
    await network.pass(5);
    asked.abort('left behind');
    expect(await verdict).toBe('left behind');
    node.dissemination.trackBlock(next.id, next.block);
    await submit(network, network.node(0), transaction());
    await network.pass(30);
    expect((await build(network, node)).map(({ certificate }) => certificate !== undefined)).toEqual([true]);
    for (const other of [0, 2, 3]) network.cut(peerKey(other), peerKey(1));
    await submit(network, node, transaction({ from: accountOf(1) }));
    await network.pass(400);
    expect(await build(network, node)).toHaveLength(1);
  });

  it('of another leader are suspended for as long as it says, and no longer than by the rule', () => {
    const clock = clockAt();
    let told = 0;
    const events = { certificatesNeeded: () => void told++ };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    const needed = () => uncertifiedReferences.certificatesNeeded;
    uncertifiedReferences.suspendedAtPeer(0);
    expect([needed(), told]).toEqual([false, 0]);
    uncertifiedReferences.suspendedAtPeer(2_000);
    uncertifiedReferences.suspendedAtPeer(1_000);
    expect([needed(), told]).toEqual([true, 2]);
    clock.now = 1_999;
    expect(needed()).toBe(true);
    clock.now = 2_000;
    expect(needed()).toBe(false);
    uncertifiedReferences.suspendedAtPeer(65_535);
    expect([uncertifiedReferences.allowed, uncertifiedReferences.suspendedMs]).toEqual([true, 0]);
    clock.now = 7_000;
    expect(needed()).toBe(false);
  });
});
