import { LANES } from '@slipstream/ports';
import { afterEach, expect, test } from 'vitest';
import { connect, frameOf, numberOf, startNode, stopAll, until } from './cluster.ts';

afterEach(stopAll);

test('two nodes exchange frames on all lanes, each lane in order', async () => {
  const [a, b] = await Promise.all([startNode(0), startNode(1)]);
  await connect(a, b);
  const each = 200;
  for (let i = 0; i < each; i++) {
    for (const lane of LANES) {
      const length = i % 50 === 0 ? 300_000 : 5 + i;
      expect(a.transport.send(b.key, lane, frameOf(lane, i, length))).toBe(true);
      expect(b.transport.send(a.key, lane, frameOf(lane, i, length))).toBe(true);
    }
  }
  await until(() => a.frames.length === each * LANES.length && b.frames.length === each * LANES.length);
  for (const node of [a, b]) {
    for (const lane of LANES) {
      const numbers = node.frames.filter((entry) => entry.lane === lane).map((entry) => numberOf(entry.frame));
      expect(numbers).toEqual(Array.from({ length: each }, (_, i) => i));
    }
  }
});
