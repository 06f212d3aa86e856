/** Epochs, validators and proposals as the API reads them, on chains that the executor made. */
import { to0x } from '@slipstream/primitives';
import { createCheck, ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import { type EpochRecord, recordHashOf, recordOfGenesis } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { GENESIS_HASH } from '../../../packages/execution/test/builders.ts';
import {
  ADMINISTRATORS,
  addition,
  byOperators,
  type EpochChain,
  epochChain,
  epochGenesis,
  idOf,
  keysOf,
  operatorOf,
  ready,
  removal,
  rotation,
  weightOf,
} from '../../../packages/execution/test/epoch-world.ts';
import { createEpochReads } from '../src/backend/epoch-reads.ts';

const FOUR = { a: 1, b: 2, c: 3, d: 4 };
const [FIRST, SECOND] = ADMINISTRATORS as [number, number];
const PAGE = { cursor: undefined, limit: 20 };

/** `kept`: the ledger's records. */
function readsOf(chain: EpochChain, heightOf = () => 0, kept: readonly EpochRecord[] = []) {
  let reads = 0;
  let keysRead = 0;
  const epochs = createEpochReads({
    read: async (keys) => {
      reads += 1;
      keysRead += keys.length;
      return { height: heightOf(), values: keys.map((key) => chain.read(key)) };
    },
    ledger: { record: async (epoch) => kept.find((record) => record.epoch === epoch) },
    genesisHash: GENESIS_HASH,
    headTimestampMs: () => chain.nowMs,
  });
  return { epochs, reads: () => reads, keys: () => keysRead };
}

/** The answer is what its route promises. */
function checked<T>(route: RouteName, answer: T): T {
  const schema = ROUTE_TABLE[route].answers[200];
  if (schema === undefined) throw new Error(`${route} answers no JSON`);
  const result = createCheck(schema)(JSON.parse(JSON.stringify(answer)));
  expect(result).toMatchObject({ ok: true });
  return answer;
}

describe('epochs', () => {
  it('are the current one and those before, with the sealed one before all', async () => {
    const genesis = epochGenesis(FOUR);
    const chain = epochChain(genesis);
    const { epochs } = readsOf(chain);
    const first = checked('epochs', await epochs.list(PAGE));
    expect(first.current).toEqual({ epoch: 0, firstHeight: 1, firstView: 1, sealed: null, sealsFrom: 64 });
    const hash = to0x(recordHashOf(GENESIS_HASH, recordOfGenesis(genesis)));
    expect(first.items).toEqual([
      { epoch: 0, version: 1, members: 4, recordHash: hash, totalWeight: 10, endedMs: null },
    ]);
    chain.decide([weightOf('a', 2)]);
    chain.untilSealed();
    const sealed = checked('epochs', await epochs.list(PAGE));
    expect(sealed.current).toMatchObject({ epoch: 0, sealsFrom: null, sealed: sealed.items[0]?.recordHash });
    expect(sealed.items.map(({ epoch, totalWeight }) => [epoch, totalWeight])).toEqual([
      [1, 11],
      [0, 10],
    ]);
  });

  it('stay listed without members when these are dropped, page by page; the ledger has their records', async () => {
    const genesis = epochGenesis(FOUR);
    const chain = epochChain(genesis);
    const { epochs } = readsOf(chain);
    for (let epoch = 1; epoch <= 3; epoch++) {
      chain.decide([weightOf('a', 1 + (epoch % 2))]);
      chain.untilSealed();
      chain.nowMs += 70_000;
      chain.move();
    }
    const page = checked('epochs', await epochs.list({ cursor: undefined, limit: 2 }));
    expect(page.items.map(({ epoch }) => epoch)).toEqual([3, 2]);
    const rest = checked('epochs', await epochs.list({ cursor: page.next ?? undefined, limit: 2 }));
    expect(rest).toMatchObject({
      next: null,
      items: [{ epoch: 1 }, { epoch: 0, recordHash: null, totalWeight: null }],
    });
    expect(rest.items[1]?.endedMs).toBeGreaterThan(0);
    expect(await epochs.record(0)).toBeUndefined();
    const whole = readsOf(chain, () => 7, [recordOfGenesis(genesis)]);
    for (let asked = 0; asked < 2; asked++) {
      const record = checked('epoch', await whole.epochs.record(0));
      expect(record).toMatchObject({ epoch: 0, height: 7, members: [{ name: 'a' }, { name: 'b' }, {}, {}] });
      expect(record?.recordHash).toBe(to0x(recordHashOf(GENESIS_HASH, recordOfGenesis(genesis))));
      expect(record?.endedMs).toBeGreaterThan(0);
    }
    expect(await epochs.record(4)).toBeUndefined();
    expect(checked('epoch', await epochs.record(3))).toMatchObject({
      epoch: 3,
      members: [{ name: 'a', weight: 2 }, {}, {}, {}],
    });
  });

  it('cost few reads of the state, however many records it has, and their members are read once', async () => {
    const chain = epochChain(epochGenesis(FOUR));
    for (let epoch = 1; epoch <= 20; epoch++) {
      chain.decide([weightOf('a', 1 + (epoch % 2))]);
      chain.untilSealed();
      chain.move();
    }
    const { epochs, reads, keys } = readsOf(chain);
    const page = await epochs.list({ cursor: undefined, limit: 100 });
    expect(page.items.filter(({ recordHash }) => recordHash !== null)).toHaveLength(21);
    expect(reads()).toBeLessThan(6);
    expect(await epochs.list({ cursor: undefined, limit: 10 })).toMatchObject({ items: page.items.slice(0, 10) });
    const before = keys();
    await epochs.record(20);
    expect(keys() - before).toBeLessThan(5);
  });
});

describe('validators', () => {
  it('are members, candidates and removed ones, page by page', async () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { epochs } = readsOf(chain);
    chain.decide([removal('a')]);
    chain.untilSealed();
    chain.move();
    chain.decide([addition('f', 1)]);
    chain.act(operatorOf('b'), rotation('b', 1));
    chain.act(operatorOf('c'), { kind: 'leave', validatorId: idOf('c') });
    const page = checked('validators', await epochs.validators({ cursor: undefined, limit: 3 }));
    expect(page.next).toBe('3');
    const rest = checked('validators', await epochs.validators({ cursor: '3', limit: 3 }));
    expect([...page.items, ...rest.items].map(({ name, status }) => `${name} ${status}`)).toEqual([
      'a removed',
      'b member',
      'c member',
      'd member',
      'f candidate',
    ]);
    expect(rest.next).toBeNull();
    expect(page.items[1]?.rotation).toEqual({
      blsPublicKey: to0x(keysOf('b', 1).blsPublicKey),
      peer: `0x${keysOf('b', 1).peerKey}`,
    });
    const waiting = checked('validators', await epochs.validators({ cursor: undefined, limit: 2, waiting: true }));
    expect(waiting.items.map(({ name }) => name)).toEqual(['f', 'b']);
    expect(await epochs.validators({ cursor: waiting.next ?? undefined, limit: 2, waiting: true })).toMatchObject({
      items: [{ name: 'c', leaving: true }],
      next: null,
    });
    expect((await epochs.validators({ cursor: '9', limit: 2, waiting: true })).items).toEqual([]);
    expect(page.items[2]?.leaving).toBe(true);
  });

  it('are found by id, and by every key that they have or had', async () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { epochs } = readsOf(chain);
    chain.act(operatorOf('b'), rotation('b', 1));
    for (const reference of [idOf('b'), keysOf('b').blsPublicKey, keysOf('b', 1).blsPublicKey]) {
      expect(checked('validator', await epochs.validator(reference))?.name).toBe('b');
    }
    expect(await epochs.validator(idOf('z'))).toBeUndefined();
    expect(await epochs.validator(keysOf('z').blsPublicKey)).toBeUndefined();
  });
});

describe('proposals', () => {
  it('show who approved, by how much, and what they wait for', async () => {
    const genesis = byOperators(FOUR);
    const chain = epochChain(genesis);
    const { epochs } = readsOf(chain);
    const { proposalId } = chain.act(operatorOf('d'), {
      kind: 'propose',
      changes: [addition('f', 1), weightOf('a', 2)],
      notBeforeMs: 0,
    });
    const page = checked('proposals', await epochs.proposals(PAGE));
    expect(page.governance).toMatchObject({ by: 'operators', neededWeight: 7 });
    expect(page.governance.governors.map(({ validators }) => validators)).toEqual([['a'], ['b'], ['c'], ['d']]);
    expect(page.items).toHaveLength(1);
    expect(page.items[0]).toMatchObject({
      id: to0x(proposalId),
      changes: [
        { kind: 'addValidator', name: 'f' },
        { kind: 'setWeight', weight: 2 },
      ],
      approvals: [{ weight: 4 }],
      approvedWeight: 4,
      neededWeight: 7,
      waits: ['approvals', 'epoch-young'],
    });
    chain.nowMs += 1;
    chain.act(operatorOf('c'), { kind: 'approve', proposalId });
    expect(checked('proposal', await epochs.proposal(proposalId))?.waits).toEqual([
      'not-ready',
      'earlier-change',
      'epoch-young',
    ]);
    chain.nowMs += 1;
    chain.act(operatorOf('a'), ready('f'));
    expect((await epochs.proposal(proposalId))?.waits).toEqual(['epoch-young']);
    chain.nowMs += 1;
    chain.untilSealed();
    expect(await epochs.proposal(proposalId)).toBeUndefined();
  });

  it('are due with no reason to wait, and wait for the next epoch once a record is sealed', async () => {
    const chain = epochChain(epochGenesis(FOUR));
    const { epochs } = readsOf(chain, () => 100);
    chain.decide([weightOf('a', 2)]);
    expect((await epochs.proposals(PAGE)).items[0]?.waits).toEqual([]);
    chain.nowMs += 1;
    chain.untilSealed();
    chain.decide([weightOf('b', 1)]);
    expect((await epochs.proposals(PAGE)).items[0]?.waits).toEqual(['next-epoch']);
  });

  it('cost few reads of the state, however many there are', async () => {
    const chain = epochChain(epochGenesis(FOUR));
    for (let i = 0; i < 10; i++) chain.act(i % 2 === 0 ? FIRST : SECOND, propose(i));
    const { epochs, reads } = readsOf(chain);
    expect((await epochs.proposals(PAGE)).items).toHaveLength(10);
    expect(reads()).toBeLessThan(8);
    const ofOneBlock = reads();
    await Promise.all([epochs.proposals(PAGE), epochs.proposals(PAGE)]);
    await epochs.proposals(PAGE);
    expect(reads()).toBe(ofOneBlock);
    chain.nowMs += 1;
    await Promise.all([epochs.proposals(PAGE), epochs.proposals(PAGE)]);
    expect(reads()).toBe(2 * ofOneBlock);
  });
});

function propose(i: number) {
  const name = 'fghijklmno'[i] as string;
  return { kind: 'propose', changes: [addition(name, 1)], notBeforeMs: 0 } as const;
}

describe('a state that changes meanwhile', () => {
  it('is read again, so that an answer is of one height', async () => {
    const genesis = epochGenesis(FOUR);
    const chain = epochChain(genesis);
    let height = 0;
    const epochs = createEpochReads({
      read: async (keys) => {
        height += 1;
        const values = keys.map((key) => chain.read(key));
        if (height < 4) chain.act(FIRST, propose(height));
        return { height, values };
      },
      ledger: { record: async () => undefined },
      genesisHash: GENESIS_HASH,
      headTimestampMs: () => chain.nowMs,
    });
    const page = await epochs.validators({ cursor: undefined, limit: 100 });
    expect(page.height).toBe(height);
    expect(page.items).toHaveLength(7);
  });

  it('has proposals answered by the newest block, also when those of the block before are being read', async () => {
    const chain = epochChain(epochGenesis(FOUR));
    let reads = 0;
    let heldAt = 0;
    let answer = () => {};
    const epochs = createEpochReads({
      async read(keys) {
        reads += 1;
        const values = keys.map((key) => chain.read(key));
        if (reads === heldAt) await new Promise<void>((resolve) => (answer = resolve));
        return { height: 0, values };
      },
      ledger: { record: async () => undefined },
      genesisHash: GENESIS_HASH,
      headTimestampMs: () => chain.nowMs,
    });
    await epochs.proposals(PAGE);
    chain.nowMs += 1;
    await epochs.proposals(PAGE);
    const ofOneBlock = reads;
    chain.nowMs += 1;
    await epochs.proposals(PAGE);
    heldAt = reads + (reads - ofOneBlock);
    chain.nowMs += 1;
    const before = epochs.proposals(PAGE);
    await expect.poll(() => reads).toBe(heldAt);
    chain.nowMs += 1;
    chain.act(FIRST, propose(0));
    const after = epochs.proposals(PAGE);
    answer();
    expect((await before).items).toEqual([]);
    expect((await after).items).toHaveLength(1);
  });
});
