/** What the driver lets through to the core: each event costs it a round of all rules, and a place in the recording. */
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { encodeFrame, FRAMES } from '@slipstream/types';
import { expect, test } from 'vitest';
import {
  type ConsensusComponents,
  createConsensus,
  type Event,
  LOCAL_OPTIONS,
  NOTHING_RESTORED,
} from '../src/index.ts';
import { committeeOf, GENESIS, GENESIS_HASH, GENESIS_ID, peerOf } from './core-world.ts';

/** A driver that has started, the events that its core was given, and the network in the test's hand. */
async function started() {
  const events: Event[] = [];
  let deliver: (from: PeerKey, frame: Uint8Array) => void = () => {};
  const components = {
    transport: {
      onFrame: (handler: (from: PeerKey, lane: string, frame: Uint8Array) => void) => {
        deliver = (from, frame) => handler(from, 'consensus', frame);
      },
      onPeer: () => {},
      broadcast: () => {},
      block: () => {},
      start: async () => {},
    },
    clock: { monotonicMs: () => 0, wallMs: () => 0, after: () => () => {} },
    random: createRandom(1),
    wal: { lastSequence: 0, durableSequence: 0 },
    application: { hasPending: () => false },
    telemetry: silentTelemetry,
    recorder: {
      record: (core) => ({
        ...core,
        step(event, nowMs, wallMs) {
          events.push(event);
          return core.step(event, nowMs, wallMs);
        },
      }),
    } satisfies ConsensusComponents['recorder'],
    onFatal: (error: unknown) => {
      throw error;
    },
  } as unknown as ConsensusComponents;
  const consensus = createConsensus(components, {
    genesisHash: GENESIS_HASH,
    committee: committeeOf([1, 1, 1, 1]),
    self: 0,
    options: LOCAL_OPTIONS,
    root: { block: GENESIS, blockId: GENESIS_ID, certificate: undefined },
    refuseUpToView: 0,
    restored: NOTHING_RESTORED,
    firstRetainedView: 0,
  });
  await consensus.start();
  events.splice(0);
  return { events, deliver };
}

test('the core hears the heartbeats of members, and none of full nodes or strangers', async () => {
  const { events, deliver } = await started();
  const heartbeat = { view: 1, finalizedHeight: 0, committedHeight: 0 };
  deliver('f'.repeat(64) as PeerKey, encodeFrame('heartbeat', heartbeat));
  expect(events).toEqual([]);
  deliver(peerOf(1), encodeFrame('heartbeat', heartbeat));
  expect(events).toEqual([{ type: 'heartbeat', from: peerOf(1), heartbeat }]);
});

test('what counts from members alone is not decoded when it comes from anybody else', async () => {
  const { events, deliver } = await started();
  const kinds = ['consensus', 'proposal', 'startupAsk', 'startupAnswer', 'heartbeat'] as const;
  for (const name of kinds) deliver('f'.repeat(64) as PeerKey, new Uint8Array([FRAMES[name].kind, 1, 2, 3]));
  expect(events).toEqual([]);
  deliver(peerOf(1), new Uint8Array([FRAMES.consensus.kind, 1, 2, 3]));
  expect(events).toMatchObject([{ type: 'offence', peer: peerOf(1), reason: 'malformed-frame' }]);
});
