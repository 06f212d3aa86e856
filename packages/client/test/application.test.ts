/** Applications through the client: calls, entries, queries and events, with the types of their definitions. */
import { to0x, toHex } from '@slipstream/primitives';
import {
  asId,
  type BlockId,
  type Call,
  eventOutput,
  genesisHashOf,
  genesisToJson,
  height,
  type TransactionId,
} from '@slipstream/types';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type token from '../../../docs/integrators/examples/applications/token.ts';
import type { ApplicationReads } from '../../api/src/index.ts';
import { statusOf } from '../../api/test/fake-node.ts';
import { type RunningApi, runApi } from '../../api/test/running-api.ts';
import { storedReads } from '../../api/test/stored-reads.ts';
import { builtApplication, exampleSource } from '../../execution/test/application-builders.ts';
import { storedGenesis } from '../../execution/test/application-state.ts';
import type questions from '../../execution/test/applications/questions.ts';
import { type ApplicationClient, createClient, keyPairFrom } from '../src/index.ts';
import { genesis } from './real-chain.ts';

const asked = await builtApplication(new URL('../../execution/test/applications/questions.ts', import.meta.url));
const tokens = await builtApplication(exampleSource('token'));
const stored = storedGenesis(asked, { count: 50 });
const start = { ...genesis, applications: [asked.inGenesis({ count: 50 }), tokens.inGenesis({ holders: [] })] };
const genesisHash = `0x${toHex(genesisHashOf(start))}`;
const holder = keyPairFrom(new Uint8Array(32).fill(9));
const to = `0x01${'5a'.repeat(32)}` as const;
const AT = height(4);

/** One a block, from height 1 on. */
const happened = Array.from({ length: 5 }, (_, i) => eventAt(i + 1));
function eventAt(at: number) {
  return {
    application: 1,
    event: at % 2,
    body: Uint8Array.from([...new Uint8Array(66).fill(1), at, 0, 0, 0, 0, 0, 0, 0]),
    height: height(at),
    index: 0,
    position: 0,
    blockId: asId<BlockId>(new Uint8Array(32)),
    transactionId: asId<TransactionId>(new Uint8Array(32).fill(at)),
  };
}

const applications: ApplicationReads = {
  ...storedReads(stored, [[asked, tokens]], { genesisHash: genesisHashOf(start), height: AT }),
  async events({ event, from = { height: 1, index: 0, position: 0 }, limit }) {
    if (from.height < 1) return undefined;
    const all = happened.filter((each) => each.height >= from.height && (event === undefined || each.event === event));
    const events = all.slice(0, limit);
    const next = { height: (events.at(-1)?.height ?? happened.length) + 1, index: 0, position: 0 };
    return { events, next, more: all.length > limit, height: height(happened.length) };
  },
};

let api: RunningApi;
let app: ApplicationClient<typeof token>;
let ask: ApplicationClient<typeof questions>;
beforeAll(async () => {
  const status = async () => statusOf(start, 4);
  api = await runApi({ backend: { genesis: start, applications, status } });
  const client = createClient({ url: api.url, genesisHash });
  app = await client.app<typeof token>('token');
  ask = await client.app<typeof questions>('questions');
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

describe('the manifest', () => {
  it('is that of the artifact which genesis names', () => {
    expect(app).toMatchObject({ name: 'token', number: 1, manifest: tokens.manifest });
  });

  it('of an application that the chain does not run is unknown', async () => {
    await expect(createClient({ url: api.url }).app('none')).rejects.toMatchObject({ code: 'application-unknown' });
  });

  it('of another artifact than genesis names is refused, as is a genesis with another hash', async () => {
    const swapped = (path: string, answer: () => Response) => {
      const lying = (url: string, init: RequestInit) =>
        url.endsWith(path) ? Promise.resolve(answer()) : fetch(url, init);
      return createClient({ url: api.url, genesisHash, fetch: lying }).app('token');
    };
    const artifact = asked.artifact as Uint8Array<ArrayBuffer>;
    // It may be that of an upgrade: the node proves none.
    await expect(swapped('/artifact', () => new Response(artifact))).rejects.toMatchObject({ code: 'unproven' });
    const other = { ...start, applications: [tokens.inGenesis({ holders: [] })] };
    await expect(swapped('/v1/genesis', () => Response.json(genesisToJson(other)))).rejects.toMatchObject({
      code: 'wrong-chain',
    });
  });
});

describe('calls', () => {
  it('are made by name with typed input, amounts as bigint or text', () => {
    const call = app.actions.transfer({ to, value: 5n });
    expect(call).toEqual(tokens.call('transfer', { to, value: '5' }));
    expect(app.actions.transfer({ to, value: '5' })).toEqual(call);
    expectTypeOf(app.actions.transfer).parameter(0).toEqualTypeOf<{
      readonly to: `0x${string}`;
      readonly value: bigint | string;
    }>();
  });

  it('with a wrong input name what is wrong', () => {
    const path = expect.objectContaining({ path: 'input.to' });
    const wrong = expect.objectContaining({ code: 'bad-argument', data: path });
    expect(() => app.actions.transfer({ to: '0x00', value: 5n })).toThrow(wrong);
    const negative = expect.objectContaining({ code: 'bad-argument' });
    expect(() => app.actions.transfer({ to, value: -1n })).toThrow(negative);
  });

  it('are signed and sent', async () => {
    // The fake node has another genesis.
    const sent = app.send(app.actions.transfer({ to, value: 5n }), holder, { maxFee: 0n });
    await expect(sent).rejects.toMatchObject({ code: 'invalid-transaction', problem: { reason: 'wrong-genesis' } });
  });

  it('cost what their action declares', () => {
    const call = app.actions.transfer({ to, value: 5n }) as Call;
    expect(app.unitsOfCall(call)[1]).toBeGreaterThan(app.unitsOfCall({ ...call, action: 99 })[1] ?? 0);
  });
});

describe('reads', () => {
  it('give entries by key, typed', async () => {
    const square = await ask.table('squares').get(7);
    expect(square).toEqual({ value: 49, exists: true, height: AT });
    expectTypeOf(square.value).toEqualTypeOf<number>();
    expect(await ask.table('ranked').get(99)).toEqual({ value: null, exists: false, height: AT });
    expect(await ask.table('size').get()).toMatchObject({ value: 50 });
    expect(await app.table('balances').get(to)).toMatchObject({ value: '0', exists: false });
    expect(await app.table('allowances').get([to, to])).toMatchObject({ value: '0' });
    await expect(app.table('balances').get('0x00')).rejects.toMatchObject({ code: 'bad-parameter' });
    expect(() => app.table('none' as 'balances')).toThrow(expect.objectContaining({ code: 'table-unknown' }));
  });

  it('give pages of a sorted table, and of no other', async () => {
    const first = await ask.table('ranked').entries({ limit: 2 });
    expect(first.items).toEqual([
      { key: 0, value: 'number 0' },
      { key: 1, value: 'number 1' },
    ]);
    expect((await ask.table('ranked').entries({ limit: 1, cursor: first.next })).items).toMatchObject([{ key: 2 }]);
    expect((await ask.table('ranked').entries({ limit: 1, reverse: true })).items).toMatchObject([{ key: 49 }]);
    await expect(app.table('balances').entries()).rejects.toMatchObject({ code: 'table-not-sorted' });
  });

  it('give answers of queries, typed', async () => {
    const sum = await ask.query.sum({ from: 1, to: 4 });
    expect(sum).toBe(14);
    expectTypeOf(sum).toEqualTypeOf<number>();
    await expect(ask.query.refuse({})).rejects.toMatchObject({ code: 'query-failed' });
    await expect(ask.query.sum({ from: 1, to: -4 })).rejects.toMatchObject({ code: 'bad-argument' });
  });
});

it('events are read of the output of a receipt: of this application, and of its forms', () => {
  const body = Uint8Array.from([...new Uint8Array(66).fill(1), 7, 0, 0, 0, 0, 0, 0, 0]);
  const outputs = [
    eventOutput({ application: 1, event: 0, body }),
    eventOutput({ application: 0, event: 0, body }),
    eventOutput({ application: 1, event: 0, body: new Uint8Array(1) }),
  ];
  const events = app.eventsIn({ output: `0x${outputs.map(toHex).join('')}` });
  const account = `0x${'01'.repeat(33)}`;
  expect(events).toEqual([{ name: 'Transferred', fields: { from: account, to: account, value: '7' } }]);
  expectTypeOf<(typeof events)[number]['name']>().toEqualTypeOf<'Transferred' | 'Approved'>();
});

describe('all events', () => {
  it('come oldest first over pages, of one name, and after a place', async () => {
    const values: string[] = [];
    for await (const event of app.events({ limit: 2 })) values.push(`${event.height} ${event.name} ${event.cursor}`);
    const names = tokens.manifest.events.map(({ name }) => name);
    expect(values).toEqual([1, 2, 3, 4, 5].map((at) => `${at} ${names[at % 2]} ${at}-0-1`));
    const approved: number[] = [];
    for await (const { height: at, fields } of app.events({ name: 'Transferred', after: '3-0-0' })) {
      approved.push(at);
      expect(fields).toMatchObject({ value: String(at) });
    }
    expect(approved).toEqual([4]);
  });

  it('of pruned blocks are a typed refusal', async () => {
    await expect(app.events({ after: '0-0-0' }).next()).rejects.toMatchObject({ code: 'pruned' });
  });

  it('are followed as the stream names the application, until the reader leaves', async () => {
    const seen: number[] = [];
    for await (const { height: at } of app.events({ after: '5-0-0', follow: true })) {
      seen.push(at);
      if (at === 7) break;
      happened.push(eventAt(at + 1));
      const { blockId, transactionId, ...place } = eventAt(at + 1);
      const shown = {
        event: place.event,
        body: to0x(place.body),
        transactionId: to0x(transactionId),
        index: 0,
        position: 0,
      };
      const next = `${place.height}-0-1`;
      const events = [{ ...shown, cursor: next }];
      const data = { application: 'token', height: place.height, blockId: to0x(blockId), events, next, more: false };
      api.hub.publish('application.events', data);
    }
    expect(seen).toEqual([5, 6, 7]);
    happened.length = 5;
  });

  it('end with the signal of the caller while they wait', async () => {
    const leave = new AbortController();
    const events = app.events({ after: '6-0-0', follow: true, signal: leave.signal });
    const waiting = events.next();
    setTimeout(() => leave.abort(), 50);
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
  });
});

const refused = {
  async calls() {
    // @ts-expect-error: there is no such action
    app.actions.burn({});
    // @ts-expect-error: a field is missing
    app.actions.transfer({ to });
    // @ts-expect-error: there is no such table
    app.table('nothing');
    // @ts-expect-error: a key has two parts
    await app.table('allowances').get(to);
    // @ts-expect-error: a cell has no key
    await app.table('supply').get(to);
    // @ts-expect-error: there is no such query
    await app.query.nothing({});
    const proven = await app.table('balances').get(to, { proven: true });
    expectTypeOf(proven.shown.proof).not.toBeAny();
  },
};

it('the compiler refuses the rest', () => {
  expect(Object.keys(refused)).toEqual(['calls']);
});
