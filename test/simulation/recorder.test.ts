/** Every file replays to equal decisions; changes are detected. */
import { type ReplayResult, replayRecording, unfinishedRecording } from '@slipstream/flight-recorder';
import { toHex } from '@slipstream/primitives';
import type { SimNode } from '@slipstream/simulator';
import { describe, expect, it } from 'vitest';
import { createWorld, play, type Running, SECRET } from './harness/recorded-nodes.ts';

/** Which may be incomplete. */
function endOfLastEntry(recording: Uint8Array): number {
  const view = new DataView(recording.buffer, recording.byteOffset);
  let at = 8;
  for (;;) {
    const next = at + 4 + (at + 4 <= recording.length ? view.getUint32(at, true) : 0);
    if (at + 4 > recording.length || next > recording.length) return at;
    at = next;
  }
}

const isEqual = ({ end }: ReplayResult) => end.type === 'whole';

describe('the flight recorder', () => {
  it('replays each file of each node to equal decisions', async () => {
    const world = createWorld('recorder equal');
    await play(world, 6000);
    for (const member of [0, 1, 2, 3]) {
      const [recording] = world.recordings(member);
      const result = replayRecording(recording as Uint8Array);
      expect(result.end.type).toBe('whole');
      expect(result.equalEntries).toBeGreaterThan(500);
      expect(result.status.finalizedHeight).toBeGreaterThan(20);
    }
  });

  it('begins a new file with the state, in a ring of bounded size, and each replays without the others', async () => {
    const bytesMax = 600_000;
    const world = createWorld('recorder ring', { bytesMax });
    await play(world, 12_000);
    const recordings = world.recordings(2);
    expect(recordings.length).toBeGreaterThan(2);
    expect(recordings.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(bytesMax);
    const results = recordings.map((recording) => replayRecording(recording));
    expect(results.map(({ end }) => end.type)).toEqual(results.map(() => 'whole'));
    const heights = results.map(({ status }) => status.finalizedHeight);
    expect(heights).toEqual([...heights].sort((a, b) => a - b));
    // The rest begins in the middle of the node's life.
    let firstView = Number.POSITIVE_INFINITY;
    replayRecording(recordings[0] as Uint8Array, {
      onStep: (_step, core) => {
        firstView = Math.min(firstView, core.status().view);
      },
    });
    expect(firstView).toBeGreaterThan(10);
  });

  it('retains the recording of a killed node, and begins another at the next start', async () => {
    const world = createWorld('recorder crash');
    await play(world, 3000);
    world.nodes[1]?.crash('lose-none');
    await play(world, 3000);
    const recordings = world.recordings(1);
    expect(recordings).toHaveLength(2);
    expect(recordings.map((recording) => replayRecording(recording)).every(isEqual)).toBe(true);
  });

  it('distinguishes a node that stopped in order from a killed one', async () => {
    const world = createWorld('recorder end');
    await play(world, 2000);
    const node = world.nodes[2] as SimNode<Running>;
    const { recorder } = node.running as Running;
    await world.simulation.run({ untilMs: world.simulation.nowMs + 600 });
    const disk = node.disk.mount();
    expect(await unfinishedRecording(disk, 'recordings')).toBe(recorder.path);
    expect(replayRecording(world.recordings(2)[0] as Uint8Array).end).toMatchObject({ stoppedInOrder: false });
    await recorder.close({ inOrder: true });
    expect(await unfinishedRecording(disk, 'recordings')).toBeUndefined();
    expect(replayRecording(world.recordings(2)[0] as Uint8Array).end).toEqual({
      type: 'whole',
      cutBytes: 0,
      stoppedInOrder: true,
    });
  });

  it('stops at a view', async () => {
    const world = createWorld('recorder view');
    await play(world, 3000);
    const result = replayRecording(world.recordings(0)[0] as Uint8Array, { untilView: 5 });
    expect(result.end).toEqual({ type: 'view-reached' });
    expect(result.status.view).toBe(6);
  });

  it('distinguishes a changed event, a changed digest and a cut file', async () => {
    const world = createWorld('recorder tampered', { lossRate: 0 });
    await play(world, 2000);
    const recording = world.recordings(3)[0] as Uint8Array;
    const ends = new Set<string>();
    for (let at = Math.floor(recording.length / 2); at < recording.length; at += 997) {
      const changed = recording.slice();
      changed[at] = (changed[at] as number) ^ 1;
      const { end } = replayRecording(changed);
      ends.add(end.type);
      if (end.type === 'whole') expect(end.cutBytes).toBeGreaterThan(0); // a changed length: the rest is not read
    }
    expect(ends.has('damaged')).toBe(true);
    expect(replayRecording(recording.subarray(0, -5)).end).toMatchObject({
      type: 'whole',
      cutBytes: expect.any(Number),
    });
    expect(() => replayRecording(recording.subarray(4))).toThrow('does not begin as a recording does');
  });

  it('refuses a recording with any damage in its head', async () => {
    const world = createWorld('recorder head');
    await play(world, 1000);
    const recording = world.recordings(0)[0] as Uint8Array;
    const end = 12 + new DataView(recording.buffer, recording.byteOffset).getUint32(8, true);
    for (let at = 12; at < end; at++) {
      const changed = recording.slice();
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      expect(() => replayRecording(changed)).toThrow('its head is damaged');
    }
  });

  it('reports when the code decides otherwise than the node did', async () => {
    const world = createWorld('recorder otherwise');
    await play(world, 2000);
    const recording = world.recordings(0)[0] as Uint8Array;
    const changed = recording.slice();
    const last = endOfLastEntry(recording) - 1; // in its outcome's digest
    changed[last] = (changed[last] as number) ^ 1;
    const { end, entry, equalEntries } = replayRecording(changed);
    expect(end).toEqual({ type: 'differs' });
    expect(entry).toBe(equalEntries);
  });

  it('contains no secret', async () => {
    const world = createWorld('recorder secrets');
    await play(world, 2000);
    for (const recording of world.recordings(0)) expect(toHex(recording)).not.toContain(toHex(SECRET));
  });
});
