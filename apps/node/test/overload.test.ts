import { CryptoError } from '@slipstream/crypto';
import { expect, test } from 'vitest';
import { failUnlessFull } from '../src/assembly/overload.ts';
import { ThreadError } from '../src/threads/errors.ts';

test('a full queue of verifier or executor drops the offered work; any other error fails the node', () => {
  const failures: unknown[] = [];
  const counts: unknown[] = [];
  const judge = failUnlessFull(
    { telemetry: { count: (...counted) => void counts.push(counted) }, fail: (error) => void failures.push(error) },
    'frame',
  );
  judge(new CryptoError('queue-full', 'the verifier’s chunk lane is full', {}));
  judge(new ThreadError('queue-full', 'the reads queue is full', {}));
  expect(failures).toEqual([]);
  expect(counts).toEqual(Array(2).fill(['node_overload_dropped_total', 1, { what: 'frame' }]));
  const defect = new ThreadError('failed', 'the executor thread ended', {});
  judge(defect);
  expect(failures).toEqual([defect]);
});
