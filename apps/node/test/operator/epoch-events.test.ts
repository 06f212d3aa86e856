import { createEventHub } from '@slipstream/api';
import { createRandom } from '@slipstream/platform';
import type { TelemetryFields } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import type { StreamEvent } from '@slipstream/schema';
import { type Epoch, type EpochRecord, type Height, recordHashOf, recordOfGenesis, type View } from '@slipstream/types';
import { expect, test } from 'vitest';
import { testChain } from '../../../../packages/execution/test/session-world.ts';
import { createNodeEpochs } from '../../src/epochs/node-epochs.ts';
import { createEpochEvents } from '../../src/operator/epoch-events.ts';
import { createStreamEvents } from '../../src/telemetry/stream-events.ts';

const { genesis, genesisHash } = testChain('epoch-events');
const first = recordOfGenesis(genesis);
const [renamed, , ...others] = first.members as [EpochRecord['members'][number], ...EpochRecord['members'][number][]];
const newKey = 'ab'.repeat(32) as typeof renamed.peerKey;
/** Member 0 changes its network key, member 1 is gone. */
const second: EpochRecord = {
  ...first,
  epoch: 1 as Epoch,
  members: [{ ...renamed, peerKey: newKey, previousPeerKey: renamed.peerKey, weight: 3 }, ...others],
};

function world() {
  const dropped: TelemetryFields[] = [];
  const silent = {
    event() {},
    count() {},
    gauge() {},
    observe() {},
    log: (_: string, __: string, f = {}) => dropped.push(f),
  };
  const hub = createEventHub({ clock: { wallMs: () => 1 }, random: createRandom(), telemetry: silent as never });
  const epochs = createNodeEpochs({ blsKeys: [], networkKeys: [] }, [first], 0 as Epoch);
  const event = createStreamEvents(hub, {
    committee: epochs.committee,
    recordOf: epochs.of,
    peerView: () => undefined,
  });
  const events = createEpochEvents({ epochs, telemetry: { event } }, 0 as Epoch);
  const sent = () =>
    Array.from({ length: hub.sequence() }, (_, at) => JSON.parse(hub.at(at + 1)?.text ?? '') as StreamEvent);
  return { epochs, events, sent, dropped };
}

const blockAt = (epoch: number, height: number) => ({
  epoch: epoch as Epoch,
  height: height as Height,
  view: (height + 4) as View,
  timestampMs: 0,
});

test('the stream reports a seal, and of the committee with the first block of its epoch', () => {
  const { epochs, events, sent, dropped } = world();
  const recordHash = recordHashOf(genesisHash, second);
  epochs.sealed(second);
  events.sealed({ record: second, recordHash, height: 64 });
  epochs.moved(1 as Epoch);
  events.committed(blockAt(0, 75), false);
  expect(sent().map(({ event }) => event)).toEqual([
    {
      type: 'epoch.sealed',
      data: { epoch: 1, height: 64, recordHash: to0x(recordHash), members: second.members.length },
    },
  ]);
  events.committed(blockAt(1, 76), false);
  events.committed(blockAt(1, 77), false);
  expect(dropped).toEqual([]);
  expect(sent().slice(1)).toMatchObject([
    {
      event: {
        type: 'epoch.begun',
        data: {
          epoch: 1,
          height: 76,
          view: 80,
          validator: null,
          totalWeight: others.length + 3,
          members: [
            { index: 0, weight: 3, peer: `0x${newKey}`, previousPeer: `0x${renamed.peerKey}` },
            ...others.map(({ peerKey }, at) => ({ index: at + 1, weight: 1, peer: `0x${peerKey}` })),
          ],
        },
      },
    },
  ]);
});

test('a start within an epoch reports none', () => {
  const { events, sent } = world();
  events.committed(blockAt(0, 1), false);
  expect(sent()).toEqual([]);
});

test('parts that a state sync opens in a later epoch report it to streams that stayed open, once', () => {
  const { epochs, events, sent } = world();
  epochs.sealed(second);
  epochs.moved(1 as Epoch);
  events.committed(blockAt(1, 900), false);
  events.committed(blockAt(1, 901), false);
  expect(sent()).toMatchObject([{ event: { type: 'epoch.begun', data: { epoch: 1, height: 900 } } }]);
  expect(events.reportedEpoch()).toBe(1);
});

test('the stream reports each block that changed validators or proposals', () => {
  const { events, sent } = world();
  events.committed(blockAt(0, 7), true);
  events.committed(blockAt(0, 8), false);
  expect(sent().map(({ event }) => event)).toEqual([{ type: 'governance.changed', data: { height: 7 } }]);
});
