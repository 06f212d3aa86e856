import { concatBytes, uint32le } from '@slipstream/primitives';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLaneQueue, type LaneQueue } from '../src/lane-queue.ts';
import { WRITE_BYTES_MAX } from '../src/limits.ts';

const roomy = { bytesMax: 10_000_000, framesMax: 10_000 };
const frame = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);
const wire = (...frames: readonly Uint8Array[]): Uint8Array =>
  concatBytes(...frames.flatMap((bytes) => [uint32le(bytes.length), bytes]));

function takeAll(queue: LaneQueue): { bytes: Uint8Array; frames: number; largest: number } {
  const parts: Uint8Array[] = [];
  let frames = 0;
  for (let write = queue.take(); write !== undefined; write = queue.take()) {
    parts.push(write.bytes);
    frames += write.frames;
  }
  return { bytes: concatBytes(...parts), frames, largest: Math.max(0, ...parts.map((part) => part.length)) };
}

test('queued frames leave as one stream of framed bytes, in bounded writes', () => {
  const length = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 3 * WRITE_BYTES_MAX }));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 12 }), (lengths) => {
      const frames = lengths.map((bytes, i) => frame(bytes, i));
      const queue = createLaneQueue(roomy);
      for (const bytes of frames) expect(queue.push(bytes)).toBe(0);
      const taken = takeAll(queue);
      expect(Buffer.compare(taken.bytes, wire(...frames))).toBe(0);
      expect(taken.frames).toBe(frames.length);
      expect(taken.largest).toBeLessThanOrEqual(WRITE_BYTES_MAX);
      expect(queue.bytes).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test('a full queue drops its oldest frames, by count and by bytes', () => {
  const byCount = createLaneQueue({ bytesMax: 1_000, framesMax: 2 });
  expect([1, 2, 3].map((fill) => byCount.push(frame(10, fill)))).toEqual([0, 0, 1]);
  expect(takeAll(byCount).bytes).toEqual(wire(frame(10, 2), frame(10, 3)));
  const byBytes = createLaneQueue({ bytesMax: 100, framesMax: 10 });
  expect([40, 40, 90].map((length) => byBytes.push(frame(length, 1)))).toEqual([0, 0, 2]);
  expect(byBytes.bytes).toBe(90);
});

test('a half-sent frame is finished, never dropped', () => {
  const queue = createLaneQueue({ bytesMax: 200_000, framesMax: 1 });
  const large = frame(150_000, 1);
  queue.push(large);
  const first = queue.take()?.bytes ?? new Uint8Array();
  queue.push(frame(10, 2));
  expect(queue.push(frame(10, 3))).toBe(1);
  expect(Buffer.compare(concatBytes(first, takeAll(queue).bytes), wire(large, frame(10, 3)))).toBe(0);
});

test('a new stream gets a half-sent frame from its beginning', () => {
  const queue = createLaneQueue(roomy);
  const large = frame(150_000, 1);
  queue.push(large);
  queue.push(frame(10, 2));
  queue.take();
  queue.rewind();
  expect(queue.bytes).toBe(150_010);
  expect(Buffer.compare(takeAll(queue).bytes, wire(large, frame(10, 2)))).toBe(0);
});
