/** Definitions of actions give what hand-written codecs gave: bytes, JSON, and refusals of damaged bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ACTIONS, type Action, actionFromJson, actionFromWire, actionToJson, actionToWire } from '../src/index.ts';
import { ACTION_SAMPLES, damage } from './action-samples.ts';
import { HAND_WRITTEN } from './hand-written/table.ts';

const numRuns = Number(process.env.RUNS ?? 100);

describe.each(Object.keys(HAND_WRITTEN) as (keyof typeof HAND_WRITTEN)[])('%s', (kind) => {
  const before = HAND_WRITTEN[kind] as unknown as (typeof HAND_WRITTEN)['transfer'];
  const { tag } = ACTIONS[kind];
  const now = {
    codec: {
      encode: (action: Action) => actionToWire(action).body,
      decode(body: Uint8Array) {
        try {
          return { ok: true as const, value: actionFromWire({ tag, body }) };
        } catch {
          return { ok: false as const };
        }
      },
    },
    toJson: actionToJson,
    fromJson: actionFromJson,
  };
  const samples = ACTION_SAMPLES[kind] as fc.Arbitrary<Action> as fc.Arbitrary<Extract<Action, { kind: 'transfer' }>>;

  it('has the same bytes and the same JSON', () => {
    fc.assert(
      fc.property(samples, (action) => {
        const encoded = now.codec.encode(action);
        expect(Buffer.from(encoded).equals(before.codec.encode(action))).toBe(true);
        expect(now.codec.decode(encoded)).toEqual({ ok: true, value: action });
        const json = now.toJson(action);
        expect(json).toEqual(before.toJson(action));
        expect(now.fromJson(json, 'actions[0]')).toEqual(before.fromJson(json as never));
        expect(now.fromJson(json, 'actions[0]')).toEqual(action);
      }),
      { numRuns },
    );
  });

  it('reads damaged bytes as the same value, or refuses them too', () => {
    fc.assert(
      fc.property(samples, fc.array(damage, { minLength: 1, maxLength: 2 }), (action, damages) => {
        const read = damages.reduce(
          (from, damaged) => (from.length === 0 ? from : damaged(from)),
          now.codec.encode(action),
        );
        const [a, b] = [before.codec.decode(read), now.codec.decode(read)];
        expect(b.ok).toBe(a.ok);
        if (a.ok && b.ok) expect(b.value).toEqual(a.value);
      }),
      { numRuns: 5 * numRuns },
    );
  });
});
