import { describe, expect, it } from 'vitest';
import { createCallWatch, createWatchedMemory, type EndlessCall, watchCalls } from '../src/executor/call-watch.ts';

const ID = new Uint8Array(32).fill(7);

function world() {
  const memory = createWatchedMemory();
  const found: EndlessCall[] = [];
  let next: (() => void) | undefined;
  const clock = {
    after(_: number, action: () => void) {
      next = action;
      return () => {
        next = undefined;
      };
    },
  };
  const end = watchCalls({ clock, memory }, (call) => found.push(call), { everyMs: 1, looksMax: 4 });
  const look = (times: number) => {
    for (let i = 0; i < times; i++) {
      const action = next;
      next = undefined;
      action?.();
    }
  };
  return { watch: createCallWatch(memory), found, look, end, isWaiting: () => next !== undefined };
}

describe('A19: the watchdog', () => {
  it('names the call that all looks in a row find, once', () => {
    const { watch, found, look, isWaiting } = world();
    watch.begins(ID, 3, 65_535);
    look(3);
    expect(found).toEqual([]);
    look(5);
    expect(found).toEqual([{ transactionId: ID, application: 3, action: 65_535 }]);
    expect(isWaiting()).toBe(false);
  });

  it('finds nothing between calls, and begins again for another call', () => {
    const { watch, found, look } = world();
    look(10);
    for (let i = 0; i < 10; i++) {
      watch.begins(ID, 0, i);
      look(3);
      watch.ended();
    }
    look(10);
    expect(found).toEqual([]);
  });

  it('looks no more once it is ended', () => {
    const { watch, found, look, end } = world();
    watch.begins(ID, 0, 0);
    end();
    look(10);
    expect(found).toEqual([]);
  });
});
