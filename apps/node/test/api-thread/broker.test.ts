/** A broker serves clients only while its node reaches a producer, and has the reasons of that. */
import { decodeBrokerMessage, END_CLOSE_CODES } from '@slipstream/distilled/stream';
import { silentTelemetry } from '@slipstream/ports';
import { type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import { createSimulation } from '@slipstream/simulator';
import { type GenesisHash, UNIT_DIMENSIONS } from '@slipstream/types';
import { expect, test } from 'vitest';
import { createApiBroker } from '../../src/api-thread/broker.ts';
import { brokerHandlers, brokerLinkThrough } from '../../src/api-thread/broker-link.ts';
import { createBrokerSide } from '../../src/assembly/broker.ts';

const BROKER = toHex(sha256(utf8('broker'))) as PeerKey;
const PRICES = UNIT_DIMENSIONS.map(() => 1n);
const HEAD = { epoch: 3, knownAt: 20, directorySize: 9, rowFee: 1n, stragglerFee: 2n, feeCap: 3n } as const;

function opened(hasProducer: boolean) {
  const simulation = createSimulation({ seed: 'broker' });
  const names: string[] = [];
  let closed: number | undefined;
  const broker = createApiBroker(
    {
      clock: simulation.clock({ node: 'broker' }),
      random: simulation.random('nonces'),
      telemetry: silentTelemetry,
      node: {} as never,
      read: async () => ({ height: 0, values: [] }),
      ledger: { batches: async () => [] },
    },
    { broker: BROKER, genesisHash: sha256(utf8('genesis')) as GenesisHash },
  );
  broker.chain({ ...HEAD, hasProducer });
  const stream = broker.door.open(
    {
      send(bytes) {
        const decoded = decodeBrokerMessage(bytes);
        if (!decoded.ok) throw new Error(decoded.error.message);
        names.push(decoded.value.name === 'end' ? decoded.value.value.reason : decoded.value.name);
      },
      unsentBytes: () => 0,
      close(code) {
        closed = code;
      },
      terminate() {},
    },
    'address',
  );
  stream?.message(new Uint8Array(3));
  broker.stop();
  return { names, closed };
}

test('a stream to a node that reaches no producer ends with the reason, before any row is taken', () => {
  expect(opened(false)).toEqual({ names: ['challenge', 'no-validator'], closed: END_CLOSE_CODES['no-validator'] });
  expect(opened(true)).toMatchObject({ names: ['challenge', 'malformed-message'] });
});

function side(self: number | undefined, reaches = self !== undefined) {
  const timers: (() => void)[] = [];
  const heads: { readonly hasProducer: boolean }[] = [];
  const record = { epoch: 3, parameters: { fees: { minimumPrices: PRICES } } };
  const made = createBrokerSide(
    {
      executor: {
        directory: { newest: () => 40, viewAt: () => ({ size: 9 }) },
        fees: () => ({ prices: PRICES }),
        record: () => record,
        recordOf: () => undefined,
      } as never,
      dissemination: {
        offerBatch: async () => ({ type: 'rejected', reason: 'verification-limit', retryAfterMs: 1_000 }) as const,
        reachesProducer: () => reaches,
      },
      clock: {
        after(_, action) {
          timers.push(action);
          return () => {};
        },
      },
      verification: {} as never,
      epochs: { now: () => 3 as never, self: () => self },
      audience: { chain: (head) => void heads.push(head) },
    },
    BROKER,
  );
  return { made, heads, timers };
}

test('the chain comes with whether this node reaches a producer', () => {
  for (const reaches of [false, true]) {
    const { made, heads } = side(undefined, reaches);
    made.changed();
    expect(heads).toMatchObject([{ epoch: 3, directorySize: 9, hasProducer: reaches }]);
  }
});

test('a full node looks for connections each second, and a validator does not', () => {
  for (const self of [undefined, 2]) {
    const { heads, timers } = side(self, true);
    timers[0]?.();
    expect([heads.length, timers.length]).toEqual([self === undefined ? 1 : 0, 2]);
  }
});

test('a refusal for now keeps its reason on the way to the broker', async () => {
  const { made } = side(0);
  const { offerBatch } = brokerHandlers(() => made.link);
  const { signal } = new AbortController();
  const call = async (_: string, head: null, bytes: readonly Uint8Array[]) => offerBatch({ head, bytes }, signal);
  const link = brokerLinkThrough({ call } as never);
  expect(await link.offerBatch(new Uint8Array(1))).toEqual({
    type: 'later',
    retryAfterMs: 1_000,
    reason: 'verification-limit',
  });
});
