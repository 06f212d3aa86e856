/** Real keys and signatures: a joining node follows the handovers that peers serve from their ledgers. */
import { createInlineVerifier } from '@slipstream/crypto/native';
import type { PeerKey } from '@slipstream/ports';
import {
  blockIdOf,
  committeeOfRecord,
  type EpochEnd,
  type EpochEntry,
  type EpochRecord,
  epochEntriesCodec,
  genesisBlock,
  type Handover,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { epochChain } from '../../../crypto/test/epoch-chain.ts';
import { createEpochArchive } from '../../src/requests/epochs.ts';
import { createKnownEpochs } from '../../src/state-sync/known-epochs.ts';
import type { Sources } from '../../src/state-sync/sources.ts';

const EPOCHS = 70;
const chain = await epochChain('known epochs', { members: 4, epochs: EPOCHS });
const [first] = chain.records as [EpochRecord];
const PEER = 'peer' as PeerKey;

const block = { ...genesisBlock(chain.genesisHash, 0), next: chain.handovers[0]?.preimage.next };
const END: EpochEnd = {
  blockId: blockIdOf(block),
  block,
  fillers: [],
  certificate: {
    subject: { kind: 'finalize', epoch: block.epoch, view: block.view, blockId: blockIdOf(block) },
    signers: [0, 1, 2],
    aggregate: new Uint8Array(96),
  },
};

/** A ledger with these handovers; `change` tampers with what is served. */
function servedBy(
  handovers: readonly (Handover | undefined)[],
  change: (entries: readonly EpochEntry[]) => readonly EpochEntry[] = (entries) => entries,
  checkRecord: (record: EpochRecord) => void = () => {},
) {
  const archive = createEpochArchive({
    record: async (epoch) => chain.records[epoch],
    handover: async (epoch) => handovers[epoch],
    epochEnd: async () => END,
  });
  const blocked: string[] = [];
  let asked = 0;
  const sources: Pick<Sources, 'ask' | 'block'> = {
    async ask(_peer, { query, from = 0, to = 0 }) {
      expect(query).toBe('epochs');
      asked += 1;
      const { bytes, more } = await archive(from, to);
      const decoded = bytes && epochEntriesCodec.decode(bytes);
      const chunks = decoded?.ok ? [epochEntriesCodec.encode(change(decoded.value))] : [];
      return { requestId: 1, blocks: [], certificates: [], chunks, more };
    },
    block: (_peer, why) => blocked.push(why),
  };
  const { verifier } = createInlineVerifier({ committees: [] });
  const known = createKnownEpochs(
    { sources, verifier },
    { genesisHash: chain.genesisHash, record: first, checkRecord },
  );
  return { known, blocked, asked: () => asked };
}

test('from the genesis record to the newest, in answers of 64 epochs', async () => {
  const { known, blocked, asked } = servedBy(chain.handovers);
  expect(await known.reach(PEER, EPOCHS)).toBe(true);
  expect(known.newest()).toEqual(committeeOfRecord(chain.records[EPOCHS] as EpochRecord));
  expect(known.committeeOf(3)).toEqual(committeeOfRecord(chain.records[3] as EpochRecord));
  expect(known.entries().map(({ record }) => record)).toEqual(chain.records);
  expect(known.entries().map(({ handover }) => handover)).toEqual([...chain.handovers, undefined]);
  expect([blocked, asked()]).toEqual([[], 2]);
  expect(await known.reach(PEER, 5)).toBe(true);
  expect(asked()).toBe(2);
});

test('a record that the caller refuses ends it, though its handover holds, and blocks no peer', async () => {
  const { known, blocked } = servedBy(
    chain.handovers,
    (entries) => entries,
    ({ epoch }) => {
      if (epoch === 3) throw new RangeError('another chain');
    },
  );
  await expect(known.reach(PEER, EPOCHS)).rejects.toThrow('another chain');
  expect(known.newest().epoch).toBe(0);
  expect(blocked).toEqual([]);
});

test('two that ask at once follow each handover once', async () => {
  const { known, asked } = servedBy(chain.handovers);
  expect(await Promise.all([known.reach(PEER, 4), known.reach(PEER, 3)])).toEqual([true, true]);
  expect(known.entries().length).toBe(5);
  expect(asked()).toBe(1);
});

test('up to a handover that the peer lacks, which blocks no peer', async () => {
  const { known, blocked } = servedBy(chain.handovers.map((handover, at) => (at === 3 ? undefined : handover)));
  expect(await known.reach(PEER, EPOCHS)).toBe(false);
  expect(known.newest().epoch).toBe(3);
  expect(known.committeeOf(4)).toBeUndefined();
  expect(blocked).toEqual([]);
});

test('a peer that serves one epoch a request is asked once', async () => {
  const { known, blocked, asked } = servedBy(chain.handovers, (entries) => entries.slice(0, 2));
  expect(await known.reach(PEER, EPOCHS)).toBe(false);
  expect([known.newest().epoch, asked(), blocked]).toEqual([1, 1, []]);
});

test('the ends of the newest 64 epochs are retained', async () => {
  const { known } = servedBy(chain.handovers);
  await known.reach(PEER, EPOCHS);
  const withEnd = known.entries().filter(({ end }) => end !== undefined);
  expect(withEnd.map(({ record }) => record.epoch)).toEqual(Array.from({ length: 64 }, (_, at) => EPOCHS - 64 + at));
});

test('no further than the chain goes', async () => {
  const { known, blocked } = servedBy(chain.handovers);
  expect(await known.reach(PEER, 0xffff_ffff)).toBe(false);
  expect(known.newest().epoch).toBe(EPOCHS);
  expect(blocked).toEqual([]);
});

test.each<[string, string, (entries: readonly EpochEntry[]) => readonly EpochEntry[]]>([
  [
    'another record than the handover names',
    'the record of epoch 2 is another one',
    (entries) => entries.map((entry, at) => (at === 2 ? { ...entry, record: { ...entry.record, version: 9 } } : entry)),
  ],
  [
    'a signature of another handover',
    'epoch 1: the aggregate is not a signature',
    (entries) => entries.map((entry, at) => (at === 1 ? withSignatureOf(entry, entries[0]) : entry)),
  ],
  ['other epochs than asked for', 'they begin with epoch 1', (entries) => entries.slice(1)],
])('a peer that serves %s is blocked', async (_, why, change) => {
  const { known, blocked } = servedBy(chain.handovers, change);
  expect(await known.reach(PEER, 5)).toBe(false);
  expect(blocked).toEqual([expect.stringContaining(why)]);
  expect(known.newest().epoch).toBe(0);
});

function withSignatureOf(entry: EpochEntry, other: EpochEntry | undefined): EpochEntry {
  const [own, foreign] = [entry.handover as Handover, other?.handover as Handover];
  const { aggregate } = foreign.certificate;
  return { ...entry, handover: { ...own, certificate: { ...own.certificate, aggregate } } };
}

test('an answer ends at 64 epochs, says that more are here, and is empty beyond the newest', async () => {
  const archive = createEpochArchive({
    record: async (epoch) => chain.records[epoch % 2 ** 32],
    handover: async (epoch) => chain.handovers[epoch],
    epochEnd: async () => undefined,
  });
  const read = async (from: number, to: number) => {
    const { bytes, more } = await archive(from, to);
    const decoded = bytes && epochEntriesCodec.decode(bytes);
    return [decoded?.ok ? decoded.value.map(({ record }) => record.epoch) : [], more] as const;
  };
  const [epochs, more] = await read(0, 1000);
  expect([epochs.length, more]).toEqual([64, true]);
  expect(await read(EPOCHS - 1, 1000)).toEqual([[EPOCHS - 1, EPOCHS], false]);
  expect(await read(3, 3)).toEqual([[3], false]);
  expect(await read(EPOCHS + 1, 1000)).toEqual([[], false]);
  expect(await read(5, 4)).toEqual([[], false]);
  expect(await read(2 ** 32, 2 ** 32)).toEqual([[], false]);
});
