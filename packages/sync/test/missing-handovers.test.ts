/** Real keys, signatures and ledger: a handover that the ledger lacks comes from a peer. */
import { createInlineVerifier } from '@slipstream/crypto/native';
import { type PeerKey, silentTelemetry } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import {
  type EpochEntry,
  type EpochRecord,
  epochEntriesCodec,
  epoch as epochOf,
  type Handover,
  type StateCertificate,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { epochChain } from '../../crypto/test/epoch-chain.ts';
import { watchHandovers } from '../src/requests/missing-handovers.ts';

const EPOCHS = 5;
const chain = await epochChain('missing handovers', { members: 4, epochs: EPOCHS });
const PEER = 'peer' as PeerKey;

const entryAt = (at: number): EpochEntry => ({
  record: chain.records[at] as EpochRecord,
  handover: chain.handovers[at],
  end: undefined,
});

/** A ledger without `missing`, which certificates complete unless its blocks are pruned. */
function world(
  missing: readonly number[],
  served: (at: number) => EpochEntry,
  isPruned = false,
  encode: (entry: EpochEntry) => Uint8Array = (entry) => epochEntriesCodec.encode([entry]),
) {
  const here = new Map(chain.handovers.map((handover, at) => [at, handover]));
  for (const at of missing) here.delete(at);
  const faults: string[] = [];
  const asked: number[] = [];
  const brought: StateCertificate[] = [];
  let look = () => {};
  let armed = 0;
  const { verifier } = createInlineVerifier({ committees: [] });
  const watch = watchHandovers(
    {
      clock: {
        after(_ms, then) {
          look = then;
          armed += 1;
          return () => {};
        },
      },
      random: createRandom(1),
      telemetry: silentTelemetry,
      transport: { peers: () => [{ peer: PEER, connected: true, blocked: false }] as never },
      async ask(_peer, { query, from = 0, to = 0 }) {
        expect([query, to]).toEqual(['epochs', from]);
        asked.push(from);
        const chunks = [encode(served(from))];
        return { requestId: 1, blocks: [], certificates: [], chunks, more: false };
      },
      verifier,
      ledger: {
        latestEpoch: async () => epochOf(EPOCHS),
        record: async (epoch) => chain.records[epoch],
        async handovers(from, limit) {
          const found: Handover[] = [];
          for (let at: number = from; found.length < limit && here.has(at); at++) found.push(here.get(at) as Handover);
          return found;
        },
      },
      certified(certificate) {
        brought.push(certificate);
        const { epoch } = certificate.subject;
        if (!isPruned) here.set(epoch, chain.handovers[epoch] as Handover);
      },
      onFault: (_peer, detail) => faults.push(detail),
    },
    chain.genesisHash,
  );
  async function looks(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const before = armed;
      look();
      while (armed === before) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  return { watch, looks, here, faults, asked, brought };
}

test('each gap is filled, and then no peer is asked', async () => {
  const { looks, here, faults, asked } = world([1, 3], entryAt);
  await looks(6);
  expect([...here.keys()].sort()).toEqual([0, 1, 2, 3, 4]);
  expect(asked).toEqual([1, 3]);
  expect(faults).toEqual([]);
});

test('a ledger without a gap asks no peer', async () => {
  const { looks, asked } = world([], entryAt);
  await looks(3);
  expect(asked).toEqual([]);
});

test('a handover that the ledger cannot write is not asked for again', async () => {
  const { looks, asked, brought } = world([1], entryAt, true);
  await looks(4);
  expect(asked).toEqual([1]);
  expect(brought.map(({ subject }) => subject.epoch)).toEqual([1]);
});

test.each<[string, (at: number) => EpochEntry]>([
  ['of another epoch', (at) => ({ ...entryAt(at), handover: chain.handovers[at + 1] })],
  ['with a signature of another one', (at) => ({ ...entryAt(at), handover: withSignature(at, at + 1) })],
])('a peer with a handover %s is blamed, and nothing is written', async (_, served) => {
  const { looks, faults, brought } = world([1], served);
  await looks(2);
  expect(brought).toEqual([]);
  expect(faults).toEqual(new Array(2).fill('served a wrong handover of epoch 1'));
});

test('a peer with an answer that does not decode is blamed', async () => {
  const { looks, faults, brought } = world([1], entryAt, false, () => new Uint8Array(7));
  await looks(1);
  expect(brought).toEqual([]);
  expect(faults).toEqual([expect.stringContaining('served no epochs')]);
});

test('a peer without the handover is not blamed, and asked again', async () => {
  const { looks, faults, asked } = world([1], (at) => ({ ...entryAt(at), handover: undefined }));
  await looks(2);
  expect(asked).toEqual([1, 1]);
  expect(faults).toEqual([]);
});

test('it stops', async () => {
  const { watch, asked } = world([1], entryAt);
  await watch.stop();
  expect(asked).toEqual([]);
});

function withSignature(at: number, other: number): Handover {
  const own = chain.handovers[at] as Handover;
  const { aggregate } = (chain.handovers[other] as Handover).certificate;
  return { ...own, certificate: { ...own.certificate, aggregate } };
}
