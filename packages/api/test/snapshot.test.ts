import { silentTelemetry } from '@slipstream/ports';
import type { EpochRecordJson } from '@slipstream/schema';
import { expect, test } from 'vitest';
import { genesis } from '../../client/test/real-chain.ts';
import { createEventHub } from '../src/event-hub.ts';
import { createSnapshotSource } from '../src/streams/snapshot.ts';
import { fakeEpochs } from './fake-epochs.ts';
import { createFakeNode } from './fake-node.ts';
import { realClock } from './running-api.ts';

test('the state of a stream has the committee of the current epoch, read once an epoch', async () => {
  const random = { bytes: (length: number) => new Uint8Array(length) };
  const events = createEventHub({ clock: realClock, random, telemetry: silentTelemetry });
  const epochs = fakeEpochs(genesis);
  const first = (await epochs.record(0)) as EpochRecordJson;
  let epoch = 0;
  let reads = 0;
  const backend = createFakeNode(events, {
    epoch: () => epoch,
    epochs: {
      ...epochs,
      async record() {
        reads += 1;
        return { ...first, epoch, members: first.members.slice(0, 3), totalWeight: 3, quorumWeight: 3 };
      },
    },
  });
  const source = createSnapshotSource(backend, silentTelemetry, { nodes: () => [] } as never);
  const committee = async () => JSON.parse((await source.take(false)).stateText).committee;
  expect(await committee()).toMatchObject({ epoch: 0, totalWeight: 4 });
  expect(reads).toBe(0);
  epoch = 1;
  expect(await committee()).toMatchObject({
    epoch: 1,
    totalWeight: 3,
    members: [{ index: 0 }, { index: 1 }, { index: 2 }],
  });
  await committee();
  expect(reads).toBe(1);
});
