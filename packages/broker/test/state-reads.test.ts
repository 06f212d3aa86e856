/** Messages that come while a state is read share the next read. */
import { describe, expect, it } from 'vitest';
import { createReadTogether } from '../src/state-reads.ts';

/** Reads that end when the test says so. */
function createSlowState() {
  const asked: { readonly indices: readonly number[]; readonly end: (fails?: boolean) => void }[] = [];
  const read = (indices: Uint32Array) =>
    new Promise<readonly undefined[]>((resolve, reject) => {
      const end = (fails = false) =>
        fails ? reject(new Error('not now')) : resolve([...indices].map(() => undefined));
      asked.push({ indices: [...indices], end });
    });
  return { asked, read };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads of states', () => {
  it('are one at a time, and the next one is for all that asked meanwhile', async () => {
    const { asked, read } = createSlowState();
    const readTogether = createReadTogether(read);
    const first = readTogether([7]);
    await turn();
    const others = [readTogether([3, 9]), readTogether([9, 1])];
    await turn();
    expect(asked.map(({ indices }) => indices)).toEqual([[7]]);
    asked[0]?.end();
    await first;
    await turn();
    expect(asked.map(({ indices }) => indices)).toEqual([[7], [1, 3, 9]]);
    asked[1]?.end();
    for (const states of await Promise.all(others)) expect([...states.keys()]).toEqual([1, 3, 9]);
  });

  it('fail for those that asked, and not for the next ones', async () => {
    const { asked, read } = createSlowState();
    const readTogether = createReadTogether(read);
    const first = readTogether([7]);
    await turn();
    const second = readTogether([8]);
    asked[0]?.end(true);
    await expect(first).rejects.toThrow('not now');
    await turn();
    asked[1]?.end();
    expect([...(await second).keys()]).toEqual([8]);
  });
});
