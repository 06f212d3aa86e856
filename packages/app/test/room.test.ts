import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { application, event, list, option, table, u8, u32 } from '../src/index.ts';
import { ABSENT, createProgram, encode, type Host } from '../src/program/index.ts';
import { enterCall } from '../src/state/call-in-hand.ts';
import { takeRoom } from '../src/state/room.ts';
import { emit } from '../src/state/stored.ts';
import { createMemoryChain } from './memory-host.ts';
import { samplesWithValues } from './random-forms.ts';

const NOTHING: Host = {
  key: () => 0,
  get: () => ABSENT,
  put() {},
  emit() {},
  collect: () => false,
  pay: () => false,
  purse: () => new Uint8Array(33),
  sha256: () => new Uint8Array(32),
};

/** What reaches the host, where the memory has `dirt` in it before. */
function emitted(dirt: number, work: () => void): readonly Uint8Array[] {
  const bodies: Uint8Array[] = [];
  enterCall({ ...NOTHING, emit: (_, bytes, length) => void bodies.push(bytes.slice(0, length)) });
  const room = takeRoom(1);
  room.fill(dirt);
  enterCall({ ...NOTHING, emit: (_, bytes, length) => void bodies.push(bytes.slice(0, length)) });
  work();
  return bodies;
}

describe('the memory of keys, values and events', () => {
  it('gives the bytes that a new array would have, whatever was in it', () => {
    fc.assert(
      fc.property(samplesWithValues, fc.nat(255), ({ sample: { form }, value: one }, dirt) => {
        expect(emitted(dirt, () => emit(0, form, one))).toEqual([encode(form, one)]);
      }),
    );
  });

  it('has no trace of others where a list has a hole', () => {
    const form = list(option(u8), 4);
    const holes = [1, undefined, 3];
    delete holes[1];
    expect(emitted(255, () => emit(0, form, holes))).toEqual([encode(form, holes)]);
  });

  it('is not shared by what a value reads while it is encoded', () => {
    const counters = table(u32, u32);
    const Counted = event({ first: u32, second: u32, third: u32 });
    const made = application({ name: 'test', version: 1, state: { counters }, events: { Counted }, actions: {} });
    const chain = createMemoryChain(createProgram(made));
    enterCall(chain.host);
    counters.set(1, 7);
    Counted.emit({
      first: 5,
      get second() {
        return counters.get(1) ?? 0;
      },
      third: 6,
    });
    expect(chain.events.map(({ body }) => [...body])).toEqual([[5, 0, 0, 0, 7, 0, 0, 0, 6, 0, 0, 0]]);
  });
});
