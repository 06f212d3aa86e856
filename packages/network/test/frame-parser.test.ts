import { concatBytes, uint32le } from '@slipstream/primitives';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameParser, type FrameParser } from '../src/frame-parser.ts';
import { FRAME_PREFIX_BYTES, LANE_WINDOW_BYTES } from '../src/limits.ts';
import type { FrameLimit } from '../src/options.ts';

const limits: ReadonlyMap<number, FrameLimit> = new Map([
  [1, { lane: 'consensus', bytesMax: 1_000 }],
  [2, { lane: 'chunk', bytesMax: 1_000 }],
]);
const wire = (frame: Uint8Array): Uint8Array => concatBytes(uint32le(frame.length), frame);

function drain(parser: FrameParser): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (;;) {
    const next = parser.next();
    if (!next.ok) throw new Error(next.error.detail);
    if (next.value === undefined) return frames;
    frames.push(next.value);
  }
}

test('frames are parsed whole and in order, however the stream is cut', () => {
  const body = fc.uint8Array({ maxLength: 300 });
  fc.assert(
    fc.property(fc.array(body, { maxLength: 20 }), fc.array(fc.integer({ min: 1, max: 64 })), (bodies, cuts) => {
      const frames = bodies.map((bytes) => concatBytes(new Uint8Array([1]), bytes));
      const stream = concatBytes(...frames.map(wire));
      const parser = createFrameParser('consensus', limits);
      const received: Uint8Array[] = [];
      for (let at = 0, i = 0; at < stream.length; i++) {
        const length = cuts.length === 0 ? stream.length : (cuts[i % cuts.length] as number);
        parser.push(stream.subarray(at, at + length));
        received.push(...drain(parser));
        at += length;
      }
      expect(received).toEqual(frames);
      expect(parser.pendingBytes).toBe(0);
    }),
  );
});

test('a window that arrives in single bytes costs its bytes: a peer chooses how it cuts them', () => {
  const parser = createFrameParser('chunk', new Map([[2, { lane: 'chunk', bytesMax: LANE_WINDOW_BYTES }]]));
  const length = LANE_WINDOW_BYTES - FRAME_PREFIX_BYTES;
  for (const byte of uint32le(length)) parser.push(Uint8Array.of(byte));
  const kind = Uint8Array.of(2);
  for (let i = 0; i < length; i++) parser.push(kind);
  expect(drain(parser).map((frame) => frame.length)).toEqual([length]);
});

test('a frame has its own memory', () => {
  const parser = createFrameParser('consensus', limits);
  const stream = wire(new Uint8Array([1, 2, 3]));
  parser.push(stream);
  const [frame] = drain(parser);
  stream.fill(0);
  expect(frame).toEqual(new Uint8Array([1, 2, 3]));
  expect(frame?.buffer.byteLength).toBe(3);
});

const offences = [
  { what: 'an unknown kind', head: [5, 0, 0, 0, 9], reason: 'malformed-frame' },
  { what: 'a kind of another lane', head: [5, 0, 0, 0, 2], reason: 'malformed-frame' },
  { what: 'an empty frame', head: [0, 0, 0, 0], reason: 'malformed-frame' },
  { what: 'one byte more than its kind allows', head: [0xe9, 3, 0, 0, 1], reason: 'oversize' },
  { what: 'four gigabytes', head: [255, 255, 255, 255, 1], reason: 'oversize' },
] as const;

test.each(offences)('$what is an offence at its first five bytes', ({ head, reason }) => {
  const parser = createFrameParser('consensus', limits);
  parser.push(new Uint8Array(head));
  const next = parser.next();
  expect(next.ok ? undefined : next.error.reason).toBe(reason);
});

test('the largest frame of its kind passes', () => {
  const parser = createFrameParser('consensus', limits);
  const frame = new Uint8Array(1_000).fill(1);
  parser.push(wire(frame));
  expect(drain(parser)).toEqual([frame]);
});
