import { uint32le } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import {
  CRASH_MODES,
  type CrashMode,
  createSimNetwork,
  createSimNode,
  createSimulation,
  type NodeWorld,
  uniformLatency,
} from '../src/index.ts';
import { peerKey } from './builders.ts';

/** Counts on disk, a synced step at a time; sends each durable count. */
async function startCounter({ disk, clock, transport, random }: NodeWorld) {
  const file = await disk.open('count', { create: true });
  await disk.syncDirectory('');
  const stored = await file.read(0, 4);
  const state = { count: stored.length === 4 ? new DataView(stored.buffer).getUint32(0, true) : 0, received: 0 };
  transport.onFrame((_from, _lane, frame) => {
    state.received = Math.max(state.received, new DataView(frame.buffer).getUint32(0, true));
  });
  await transport.start();
  const step = async () => {
    await file.write(0, [uint32le(state.count + 1)]);
    await file.sync();
    state.count++;
    transport.broadcast('consensus', uint32le(state.count));
    clock.after(1 + random.below(10), () => void step());
  };
  clock.after(random.below(10), () => void step());
  return state;
}

/** Four counters under crashes and loss; returns the event hash. */
async function randomFaults(seed: number, eager = false) {
  const simulation = createSimulation({ seed });
  const network = createSimNetwork(simulation, { latency: uniformLatency(1, 20), lossRate: 0.1 });
  const random = simulation.random('hail');
  const nodes = Array.from({ length: 4 }, (_, i) =>
    createSimNode(simulation, { peer: peerKey(i), network, factory: startCounter }),
  );
  const sent = new Map<string, number>();
  network.tap(({ from, frame }) => sent.set(from, new DataView(frame.buffer).getUint32(0, true)));
  for (const node of nodes) node.start();
  for (let i = 0; i < 20; i++) {
    const node = nodes[random.below(4)] as (typeof nodes)[number];
    await simulation.run({ untilMs: simulation.nowMs + random.below(200) });
    if (eager) await simulation.run({ stepsMax: 1 });
    node.crash(CRASH_MODES[random.below(CRASH_MODES.length)] as CrashMode);
    const counted = node.disk.contents('count');
    const sentCount = sent.get(node.peer) ?? 0;
    if (sentCount > 0)
      expect(new DataView((counted as Uint8Array).buffer).getUint32(0, true)).toBeGreaterThanOrEqual(sentCount);
    await simulation.run({ untilMs: simulation.nowMs + random.below(50) });
    node.start();
  }
  await simulation.run({ untilMs: simulation.nowMs + 200 });
  return { hash: simulation.eventHash(), nodes };
}

describe('nodes', () => {
  test('two runs of a seed have one hash; another seed or one more event gives another hash', async () => {
    const { hash } = await randomFaults(1);
    expect((await randomFaults(1)).hash).toBe(hash);
    expect((await randomFaults(2)).hash).not.toBe(hash);
    expect((await randomFaults(1, true)).hash).not.toBe(hash);
  });

  test('a faster simulator plays the same events: change the hash only with what a seed means', async () => {
    expect((await randomFaults(1)).hash).toBe('dcaa9e353d45b467');
  });

  test('crash and restart from their disks, and no reported value is lost', async () => {
    for (let seed = 10; seed < 20; seed++) {
      const { nodes } = await randomFaults(seed);
      for (const node of nodes) {
        expect(node.running?.count).toBeGreaterThan(0);
        expect(node.running?.received).toBeGreaterThan(0);
      }
      expect(nodes.reduce((sum, node) => sum + node.incarnation, 0)).toBe(24);
    }
  });

  test('a failing factory ends the node with its reason', async () => {
    const simulation = createSimulation({ seed: 1 });
    const network = createSimNetwork(simulation);
    const node = createSimNode(simulation, {
      peer: peerKey(1),
      network,
      factory: async ({ incarnation }) => {
        if (incarnation === 1) throw new Error('no disk today');
        return 'up';
      },
    });
    node.start();
    await simulation.run();
    expect(node).toMatchObject({ alive: false, exitReason: 'no disk today', running: undefined });
    node.start();
    await simulation.run();
    expect(node).toMatchObject({ alive: true, exitReason: undefined, running: 'up' });
  });
});

describe('a paused node', () => {
  async function pausedOnce() {
    const simulation = createSimulation({ seed: 'pause' });
    const network = createSimNetwork(simulation);
    const received: string[] = [];
    const [paused, other] = [0, 1].map((i) =>
      createSimNode(simulation, {
        peer: peerKey(i),
        network,
        async factory({ clock, transport }) {
          transport.onFrame((_from, _lane, frame) => received.push(`frame ${frame[0]}`));
          await transport.start();
          if (i === 0) clock.after(20, () => received.push(`timer at ${clock.monotonicMs()}`));
          if (i === 0) clock.after(30, () => received.push('cancelled'))();
          return { clock, transport };
        },
      }),
    ) as [ReturnType<typeof createSimNode<NodeWorld>>, ReturnType<typeof createSimNode<NodeWorld>>];
    paused.start();
    other.start();
    await simulation.run({ untilMs: 10 });
    paused.pause();
    other.running?.transport.broadcast('consensus', Uint8Array.of(7));
    await simulation.run({ untilMs: 50 });
    return { simulation, paused, received };
  }

  test('receives nothing until it is resumed: then its timers run first, then frames arrive', async () => {
    const { simulation, paused, received } = await pausedOnce();
    expect(received).toEqual([]);
    paused.resume();
    await simulation.run({ untilMs: 60 });
    expect(received).toEqual(['timer at 50', 'frame 7']);
  });

  test('that is killed receives nothing more', async () => {
    const { simulation, paused, received } = await pausedOnce();
    paused.crash('lose-none');
    paused.resume();
    await simulation.run({ untilMs: 60 });
    expect(received).toEqual([]);
  });
});

test('a wall clock can be set while a node runs; its monotonic clock is unaffected', async () => {
  const simulation = createSimulation({ seed: 'clock' });
  const network = createSimNetwork(simulation);
  const node = createSimNode(simulation, { peer: peerKey(0), network, factory: ({ clock }) => clock });
  node.start();
  await simulation.run({ untilMs: 10 });
  const wallMs = node.running?.wallMs() ?? 0;
  node.setClock(-5_000);
  expect(node.running?.wallMs()).toBe(wallMs - 5_000);
  expect(node.running?.monotonicMs()).toBe(10);
});
