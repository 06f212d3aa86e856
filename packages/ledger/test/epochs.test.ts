import type { KeyValue } from '@slipstream/ports';
import {
  asId,
  type Block,
  blockIdOf,
  type ChunkId,
  type ChunkReference,
  type EpochEnd,
  epochEndCodec,
  epoch as epochOf,
  recordHashOf,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { type CommitSeal, type Ledger, LedgerError } from '../src/index.ts';
import { keyOf, tableEnd } from '../src/keys.ts';
import {
  childOf,
  commitAll,
  createStore,
  GENESIS_HASH,
  genesisLink,
  type Link,
  nullification,
  open,
  stateCertificate,
} from './builders.ts';
import { boundaryOn, commit, endOf, finalOf, firstOn, recordOf } from './epoch-links.ts';

const CHUNK: ChunkReference = { chunkId: asId<ChunkId>(new Uint8Array(32).fill(4)), certificate: undefined };

interface World {
  readonly ledger: Ledger;
  readonly keyValue: KeyValue;
  readonly boundary: Link;
  readonly end: EpochEnd;
  readonly newest: Link;
}

/** Genesis, two blocks with certificates, the boundary at height 3, and two blocks of the next epoch. */
async function worldWith(fillers: number, seal: (boundary: Link) => Partial<CommitSeal> = () => ({})): Promise<World> {
  const store = createStore();
  const ledger = await open(store);
  const genesis = genesisLink();
  await commit(ledger, genesis, { newEpoch: { record: recordOf(0), end: undefined } });
  const first = childOf(genesis);
  const second = childOf(first);
  await commitAll(ledger, [first, second]);
  const boundary = boundaryOn(second);
  const end = endOf(boundary, fillers);
  await commit(ledger, boundary, { newEpoch: { record: recordOf(1), end }, ...seal(boundary) });
  const next = firstOn(boundary);
  const newest = childOf(next);
  await commitAll(ledger, [next, newest]);
  return { ledger, keyValue: store.mount(), boundary, end, newest };
}

const heightsOf = (blocks: readonly Block[]) => blocks.map((block) => block.height);

describe('an epoch that ended', () => {
  it.each([0, 1, 3])('has its record and its end, proven by %d fillers', async (fillers) => {
    const { ledger, end } = await worldWith(fillers);
    expect(await ledger.latestEpoch()).toBe(1);
    expect(await ledger.record(epochOf(0))).toEqual(recordOf(0));
    expect(await ledger.record(epochOf(1))).toEqual(recordOf(1));
    expect(await ledger.record(epochOf(2))).toBeUndefined();
    expect(await ledger.epochEnd(epochOf(0))).toEqual(end);
    expect(await ledger.epochEnd(epochOf(1))).toBeUndefined();
  });

  it('gives its fillers by id, which are no blocks of the chain', async () => {
    const { ledger, end } = await worldWith(2);
    for (const filler of end.fillers) {
      expect(await ledger.filler(blockIdOf(filler))).toEqual(filler);
      expect(await ledger.block({ id: blockIdOf(filler) })).toBeUndefined();
    }
  });

  it('keeps certificates of both epochs in one view apart', async () => {
    const { ledger } = await worldWith(1);
    const early = nullification(5);
    const late = { ...early, subject: { ...early.subject, epoch: epochOf(1) } };
    await ledger.putCertificates([early, late]);
    const epochsOf = async (epoch: number) =>
      (await ledger.certificatesByView(epochOf(epoch), 5, 5)).map(({ subject }) => `${subject.epoch} ${subject.kind}`);
    expect(await epochsOf(0)).toEqual(['0 nullify']);
    expect(await epochsOf(1)).toEqual(['1 nullify', '1 finalize', '1 certify']);
  });

  it('stays when its blocks are pruned, without its end', async () => {
    const { ledger, keyValue, newest } = await worldWith(2);
    await commit(ledger, childOf(newest, { timestampMs: newest.block.timestampMs + 61_000 }));
    expect(await ledger.pruneBelow(5)).toBe(4);
    expect(await ledger.record(epochOf(1))).toEqual(recordOf(1));
    expect(await ledger.epochEnd(epochOf(0))).toBeUndefined();
    expect(await ledger.certificatesByView(epochOf(0), 0, 100)).toEqual([]);
    const tables = await keyValue.range({ from: keyOf('epoch'), to: tableEnd('filler'), limit: 100 });
    expect(tables.length).toBe(2 + 1 + 2);
  });

  it('with more fillers than are served is known by its record', async () => {
    const { ledger } = await worldWith(1025);
    expect(await ledger.latestEpoch()).toBe(1);
    expect(await ledger.epochEnd(epochOf(0))).toBeUndefined();
    expect(heightsOf((await ledger.finalizedRange(1, 5)).blocks)).toEqual([1, 2]);
  });
});

describe('a range of final blocks', () => {
  it('ends at the end of its epoch, with the fillers that make it final', async () => {
    const { ledger, end } = await worldWith(2);
    const range = await ledger.finalizedRange(1, 5);
    expect(heightsOf(range.blocks)).toEqual([1, 2, 3, 4, 5]);
    expect(range.blocks.slice(2)).toEqual([end.block, ...end.fillers]);
    const [certificate, state] = range.certificates;
    expect(certificate).toEqual(end.certificate);
    expect(state?.subject).toMatchObject({ kind: 'certify', height: 2, epoch: 0 });
    expect(range.more).toBe(true);
    expect((await ledger.finalizedRange(3, 3)).blocks).toEqual([end.block, ...end.fillers]);
    expect((await ledger.finalizedRange(3, 3)).more).toBe(false);
  });

  it('needs no filler where a state certificate proves the last block', async () => {
    const { ledger, boundary } = await worldWith(2, (link) => ({ certificate: stateCertificate(link) }));
    const range = await ledger.finalizedRange(1, 5);
    expect(heightsOf(range.blocks)).toEqual([1, 2, 3]);
    expect(range.certificates).toEqual([stateCertificate(boundary)]);
  });

  it('does not reach the end of its epoch when fewer heights are asked for', async () => {
    const { ledger } = await worldWith(2);
    const range = await ledger.finalizedRange(1, 2);
    expect(heightsOf(range.blocks)).toEqual([1, 2]);
    expect(range.certificates.map(({ subject }) => subject.kind)).toEqual(['certify']);
  });

  it('goes on in the next epoch', async () => {
    const { ledger } = await worldWith(2);
    const range = await ledger.finalizedRange(4, 9);
    expect(heightsOf(range.blocks)).toEqual([4, 5]);
    expect(range.certificates.map(({ subject }) => subject.epoch)).toEqual([1]);
    expect(range.more).toBe(false);
  });
});

describe('a commit', () => {
  async function beforeBoundary(): Promise<{ readonly ledger: Ledger; readonly boundary: Link }> {
    const ledger = await open(createStore());
    const genesis = genesisLink();
    await commit(ledger, genesis);
    const first = childOf(genesis);
    await commit(ledger, first);
    return { ledger, boundary: boundaryOn(first) };
  }

  it.each<[string, (boundary: Link) => CommitSeal['newEpoch']]>([
    ['without the record that its block names', () => undefined],
    ['with another record', () => ({ record: { ...recordOf(1), version: 2 }, end: undefined })],
    ['with the end of another block', (link) => ({ record: recordOf(1), end: endOf(boundaryOn(link), 0) })],
    [
      'with an end whose certificate is of no filler',
      (link) => ({ record: recordOf(1), end: { ...endOf(link, 2), certificate: finalOf(link.block) } }),
    ],
  ])('%s is a fault', async (_, newEpochOf) => {
    const { ledger, boundary } = await beforeBoundary();
    await expect(commit(ledger, boundary, { newEpoch: newEpochOf(boundary) })).rejects.toThrow();
    expect(await ledger.latestEpoch()).toBe(0);
  });

  it('of a block within an epoch brings no record', async () => {
    const { ledger, boundary } = await beforeBoundary();
    await commit(ledger, boundary, { newEpoch: { record: recordOf(1), end: endOf(boundary, 0) } });
    const next = firstOn(boundary);
    const newEpoch = { record: recordOf(2), end: undefined };
    await expect(commit(ledger, next, { newEpoch })).rejects.toThrow('a record is committed with the block');
  });
});

describe('a damaged filler', () => {
  it('is reported', async () => {
    const { ledger, keyValue, end } = await worldWith(2);
    const key = keyOf('filler', blockIdOf(end.fillers[0] as Block));
    await keyValue.batch([{ type: 'delete', key }]);
    const failure = ledger.epochEnd(epochOf(0));
    await expect(failure).rejects.toBeInstanceOf(LedgerError);
    await expect(failure).rejects.toMatchObject({ code: 'corrupt', data: { table: 'filler' } });
  });
});

describe('the end of an epoch as bytes', () => {
  const boundary = boundaryOn(childOf(genesisLink()));
  const { block } = boundary;

  it.each([0, 1, 1024])('with %d fillers decodes to what it was', (fillers) => {
    const end = endOf(boundary, fillers);
    expect(epochEndCodec.decode(epochEndCodec.encode(end))).toEqual({ ok: true, value: end });
  });

  it('may be certified by the state of its block', () => {
    const end = { ...endOf(boundary, 0), certificate: stateCertificate(boundary) };
    expect(epochEndCodec.decode(epochEndCodec.encode(end))).toEqual({ ok: true, value: end });
  });

  const sound = endOf(boundary, 2);
  const [first, second] = sound.fillers as [Block, Block];
  const withLast = (last: Block): EpochEnd => ({ ...sound, fillers: [first, last], certificate: finalOf(last) });
  it.each<[string, EpochEnd]>([
    ['whose block names no record', { ...endOf(childOf(genesisLink()), 0) }],
    ['with a filler missing', { ...sound, fillers: [second] }],
    ['with a filler too many', { ...sound, certificate: finalOf(first) }],
    ['with a filler of another record', withLast({ ...second, next: recordHashOf(GENESIS_HASH, recordOf(2)) })],
    ['with a filler of another epoch', withLast({ ...second, epoch: epochOf(1) })],
    ['with a filler of no later view', withLast({ ...second, view: first.view })],
    ['with a filler that has a payload', withLast({ ...second, payload: [CHUNK] })],
    [
      'with a certificate of another epoch',
      { ...endOf(boundary, 0), certificate: finalOf({ ...block, epoch: epochOf(1) }) },
    ],
  ])('%s does not decode', (_, end) => {
    expect(epochEndCodec.decode(epochEndCodec.encode(end)).ok).toBe(false);
  });

  it('with more fillers than the maximum is not encoded', () => {
    expect(() => epochEndCodec.encode(endOf(boundary, 1025))).toThrow('at most 1024');
  });
});
