/** Brokers that lie (Z12): no share is given, the next broker gets the row, and no transfer ends otherwise than it ran. */
import { columnsOf, proveRows, type Row, rowsRootOf } from '@slipstream/distilled';
import { encodeBrokerMessage } from '@slipstream/distilled/stream';
import { fromHex } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { afterEach, describe, expect, test } from 'vitest';
import { ClientError } from '../../src/index.ts';
import type { Lies } from './fake-broker.ts';
import { closeAll, createWorld, keysOf, ME, until } from './world.ts';

afterEach(closeAll);

const transfer = { to: 7, amount: 1n };
const foreign = (rows: readonly Row[]): Row => ({
  ...(rows.find(({ sender }) => sender === ME) as Row),
  sequence: 900,
  amount: 1_000_000n,
});

/** The first broker lies, the second one is honest. */
async function sentPast(lies: Lies, form: 'paths' | 'columns' = 'paths') {
  const world = createWorld([{ lies, form }, {}]);
  const result = await world.distillery.transfer(transfer);
  expect(result).toMatchObject({ status: 'success', sequence: 1 });
  expect(world.brokers[0]?.shares).toEqual([]);
  expect(world.brokers[1]?.shares).toMatchObject([{ isGood: true }]);
  expect(world.ledger.ran.has(`${ME}/900`)).toBe(false);
  return world;
}

describe('no share for a header, and the broker is left', () => {
  test('with a row of mine that I did not make, hidden behind my place', async () => {
    const lies: Lies = {
      besides: (rows) => [foreign(rows)],
      header: (shown) => ({ ...shown, own: shown.own.map((place) => ({ ...place, count: 1 })) }),
    };
    const { lost } = await sentPast(lies);
    expect(lost()).toEqual([expect.stringMatching(/^false-header: rows of sender 50: forged-row/)]);
  });

  test('whose leaf with my neighbour is withheld', async () => {
    const fill = Array.from(
      { length: 14 },
      (_, i): Row => ({ sender: 2 + i, recipient: 1, amount: 1n, sequence: 1, tag: 0 }),
    );
    const lies: Lies = {
      besides: (rows) => [...fill, foreign(rows)],
      header: (shown) => ({
        ...shown,
        own: shown.own.map((place) => ({ ...place, count: 1 })),
        leaves: shown.leaves.slice(0, 1),
      }),
    };
    const { lost } = await sentPast(lies);
    expect(lost()).toEqual([expect.stringMatching(/^false-header: rows of sender 50: gap/)]);
  });

  test.each(['paths', 'columns'] as const)('under another root, with %s', async (form) => {
    const { lost } = await sentPast({ headerFields: { root: new Uint8Array(32) } }, form);
    expect(lost()).toEqual([expect.stringMatching(/^false-header/)]);
  });

  test('with another amount in my row, under its true root', async () => {
    const lies: Lies = {
      columns: (shown) => {
        const rows = { ...shown.rows, amounts: shown.rows.amounts.map((word) => word + 1) };
        return { ...shown, rows, header: { ...shown.header, root: rowsRootOf(rows) } };
      },
    };
    const { lost } = await sentPast(lies, 'columns');
    expect(lost()).toEqual([expect.stringMatching(/^false-header: row 1 is not as it was sent/)]);
  });

  test('with another amount in my row, with paths', async () => {
    const lies: Lies = {
      header: (shown, rows) => {
        const changed = columnsOf(rows.map((row) => (row.sender === ME ? { ...row, amount: 5n } : row)));
        return { ...shown, header: { ...shown.header, root: rowsRootOf(changed) }, leaves: [proveRows(changed, 1)] };
      },
    };
    const { lost } = await sentPast(lies);
    expect(lost()).toEqual([expect.stringMatching(/^false-header: rows of sender 50: other-row/)]);
  });

  test('that names another account as mine, or mine twice: its share would count twice', async () => {
    const twice: Lies = { header: (shown) => ({ ...shown, own: [...shown.own, ...shown.own] }) };
    expect((await sentPast(twice)).lost()).toEqual([expect.stringMatching(/^false-header: sender 50 is none/)]);
    const other: Lies = { header: (shown) => ({ ...shown, own: [{ sender: 1, first: 0, count: 1 }] }) };
    expect((await sentPast(other)).lost()).toEqual([expect.stringMatching(/^false-header: sender 1 is none/)]);
  });
});

describe('no share, and the row goes elsewhere once the broker has no outcome for too long', () => {
  test.each([
    ['expires later than I allow', { expiryMs: Date.now() + 3_600_000 }, 'expiry'],
    ['may cost more than I allow', { feeCap: 31n }, 'fee-cap'],
  ])('for a header that %s', async (_, headerFields, reason) => {
    const world = createWorld([{ lies: { headerFields } }, {}], { patienceMs: 400, feeCap: 30n });
    expect(await world.distillery.transfer(transfer)).toMatchObject({ status: 'success', sequence: 1 });
    expect(world.brokers[0]?.shares).toEqual([]);
    expect(world.events).toContainEqual(
      expect.objectContaining({ type: 'withheld', reason: `${reason}, of sender 50` }),
    );
    expect(world.lost()[0]).toMatch(/^unresponsive/);
  });

  test('for a row of one of my accounts that is not pending, while the others sign', async () => {
    const keys = [keysOf(ME), keysOf(60)];
    const forged: Row = { sender: 60, recipient: 7, amount: 9n, sequence: 900, tag: 0 };
    const { distillery, brokers, ledger } = createWorld(
      [{ form: 'columns', lies: { besides: () => [forged] } }],
      {},
      keys,
    );
    await distillery.transfer({ ...transfer, from: ME });
    expect(brokers[0]?.shares).toMatchObject([{ isGood: true, without: [60] }]);
    expect(ledger.ran.has(`${ME}/1`)).toBe(true);
  });
});

describe('outcomes', () => {
  test('that are not as proven: the proof counts, and the broker is left', async () => {
    const lies: Lies = { outcomes: (reported) => ({ ...reported, outcomes: reported.outcomes.map(() => 1) }) };
    const { distillery, lost } = createWorld([{ lies }, {}]);
    expect(await distillery.transfer(transfer)).toMatchObject({ status: 'success', proof: 'proven' });
    await until(() => lost().length > 0);
    expect(lost()[0]).toMatch(/^false-outcome/);
  });

  test('with another fee: the proven one counts', async () => {
    const lies: Lies = { outcomes: (reported) => ({ ...reported, rowFee: 1n }) };
    const { distillery } = createWorld([{ lies }]);
    expect(await distillery.transfer(transfer)).toMatchObject({ status: 'success', fee: 20n });
  });

  test('of more rows than were shown: the row goes on to the next broker', async () => {
    const lies: Lies = {
      outcomes: (reported) => ({ ...reported, outcomes: new Uint8Array(reported.outcomes.length + 1) }),
    };
    const { distillery, lost, ledger } = createWorld([{ lies }, {}]);
    expect(await distillery.transfer(transfer)).toMatchObject({ status: 'success', sequence: 1 });
    expect(lost()[0]).toMatch(/^false-outcome/);
    expect([...ledger.ran.keys()].filter((name) => name === `${ME}/1`)).toHaveLength(1);
  });

  test('of another batch end no transfer', async () => {
    const lies: Lies = { outcomes: (reported) => ({ ...reported, batchId: new Uint8Array(32) }) };
    const { distillery, events, lost } = createWorld([{ lies }, {}], { patienceMs: 400 });
    expect(await distillery.transfer(transfer)).toMatchObject({ status: 'success', proof: 'proven' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'withheld', reason: expect.stringMatching(/^outcomes of a batch/) }),
    );
    expect(lost()[0]).toMatch(/^unresponsive/);
  });
});

describe('a session ends', () => {
  const broken = async (lies: Lies, fault: RegExp, options = {}) => {
    const { distillery, lost } = createWorld([{ lies }, {}], options);
    expect(await distillery.transfer(transfer)).toMatchObject({ status: 'success', sequence: 1 });
    expect(lost()[0]).toMatch(fault);
  };

  test('at bytes that are no message', () =>
    broken({ onRows: (_, send) => send(new Uint8Array([99, 1, 2])) }, /^malformed/));
  test('at text', () => broken({ onRows: (_, send) => send('hello') }, /^malformed/));
  test('at a message out of order', () => {
    const terms = { rowFee: 1n, stragglerFee: 1n, feeCap: 1n, lifeMs: 1, rowsMax: 1 };
    return broken({ onOpen: (send) => send({ name: 'terms', value: terms }) }, /^malformed: terms out of order/);
  });
  test('at a refusal of a row that was not sent', () => {
    const value = { number: 0, retryAfterMs: 0, rows: [{ position: 5, reason: 'not-ready' as const }] };
    return broken({ onRows: (_, send) => send({ name: 'refused', value }) }, /^malformed: a refusal of row 5/);
  });
  test('before the login, on another chain', () => {
    const challenge = {
      genesisHash: new Uint8Array(32) as GenesisHash,
      broker: '11'.repeat(32) as never,
      nonce: fromHex('22'.repeat(32)),
    };
    return broken({ onOpen: (send) => send({ name: 'challenge', value: challenge }) }, /^wrong-chain/);
  });
  test('without a challenge in time', () =>
    broken({ onOpen: () => {} }, /^unresponsive: no login/, { timeoutMs: 300 }));
  test('without an answer to a row in time', () =>
    broken({ onRows: () => {} }, /^unresponsive: no outcome/, { patienceMs: 300 }));
  test('in a flood', () => {
    const terms = encodeBrokerMessage({
      name: 'terms',
      value: { rowFee: 1n, stragglerFee: 1n, feeCap: 1n, lifeMs: 1, rowsMax: 1 },
    });
    return broken(
      {
        onRows: (_, send) => {
          for (let i = 0; i < 2_000; i++) send(terms);
        },
      },
      /^flood/,
    );
  });
});

describe('rows that are not taken', () => {
  const refuses = (
    reason: 'insufficient-balance' | 'not-ready' | 'account-limit' | 'broker-limit',
    times: number,
  ): Lies => ({
    onRows: ({ number }, send) => {
      if (times-- > 0) send({ name: 'refused', value: { number, retryAfterMs: 10, rows: [{ position: 0, reason }] } });
    },
  });

  test('end at once when no broker would take them', async () => {
    const { distillery } = createWorld([{ lies: refuses('insufficient-balance', 9) }]);
    const error = await distillery.transfer(transfer).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({ code: 'row-refused', data: { reason: 'insufficient-balance', sequence: 1 } });
  });

  test('go to the next broker when this one is not ready', async () => {
    const { distillery, lost } = createWorld([{ lies: refuses('not-ready', 9) }, {}]);
    expect(await distillery.transfer(transfer)).toMatchObject({ status: 'success', sequence: 1 });
    expect(lost()).toEqual(['ended: not-ready']);
  });

  test('do not go from broker to broker at once when all are full: each login costs tokens (Q10)', async () => {
    const full = () => ({ lies: refuses('broker-limit', 9) });
    const { distillery, brokers, lost } = createWorld([full(), full()]);
    const sinceMs = Date.now();
    void distillery.transfer(transfer).catch(() => {});
    await until(() => brokers.reduce((sum, { rowMessages }) => sum + rowMessages.length, 0) > 3);
    expect(lost().length).toBeLessThanOrEqual(1 + (Date.now() - sinceMs) / 1_000);
  });

  test('are sent again when the refusal passes', async () => {
    const { distillery, brokers } = createWorld([{ lies: refuses('account-limit', 2) }]);
    void distillery.transfer(transfer).catch(() => {});
    await until(() => (brokers[0]?.rowMessages.length ?? 0) > 2);
    expect(brokers[0]?.rowMessages.map(({ rows }) => rows.sequences[0])).toEqual([1, 1, 1]);
  });

  test('do not end at a permanent refusal while another broker may have them', async () => {
    const lies: Lies = { onRows: (_, send) => send({ name: 'end', value: { reason: 'stopping', detail: '' } }) };
    const { distillery, brokers } = createWorld([{ lies }, { lies: refuses('insufficient-balance', 1) }]);
    let ended = false;
    void distillery
      .transfer(transfer)
      .catch(() => {})
      .finally(() => {
        ended = true;
      });
    await until(() => (brokers[1]?.rowMessages.length ?? 0) > 1);
    expect(ended).toBe(false);
  });
});
