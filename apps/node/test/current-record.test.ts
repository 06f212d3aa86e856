import { epoch, recordOfGenesis } from '@slipstream/types';
import { expect, it } from 'vitest';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { createCurrentRecord } from '../src/backend/current-record.ts';

it('the current record is read once an epoch', async () => {
  const first = recordOfGenesis(arrange.genesis({}));
  const reads: number[] = [];
  let latest = epoch(0);
  const currentRecord = createCurrentRecord({
    latestEpoch: async () => latest,
    record: async (of) => {
      reads.push(of);
      return { ...first, epoch: of };
    },
  });
  expect([await currentRecord(), await currentRecord()]).toEqual([first, first]);
  latest = epoch(1);
  expect((await currentRecord()).epoch).toBe(1);
  expect(reads).toEqual([0, 1]);
});
