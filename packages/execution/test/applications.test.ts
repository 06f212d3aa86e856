import { concatBytes, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  type Action,
  accountKeyText,
  BLOCK_OUTPUT_BYTES_MAX,
  eventsInOutput,
  failureInOutput,
  feeOf,
  RECEIPT_OUTPUT_BYTES_MAX,
  type Receipt,
  stateKeyOfEntry,
  unitsOf,
} from '@slipstream/types';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCallHost } from '../src/applications/call-host.ts';
import { type Applications, METERED_FEES } from '../src/index.ts';
import { builtApplication, exampleSource, freshApplications, type TestApplication } from './application-builders.ts';
import { account, type Chain, chain, type Executed, genesis, transaction, transfer } from './builders.ts';

let troubles: TestApplication;
let token: TestApplication;
let escrow: TestApplication;
const faults: string[] = [];

beforeAll(async () => {
  [troubles, token, escrow] = await Promise.all([
    builtApplication(new URL('./applications/troubles.ts', import.meta.url)),
    builtApplication(exampleSource('token')),
    builtApplication(exampleSource('escrow')),
  ]);
});

const FIRST = 5;

/** Of troubles (number 0) and the token (number 1), whose holder is account 1. */
function start(applications?: Applications, fees = METERED_FEES): Chain {
  const holders = [{ owner: text(1), value: '1000' }];
  const start = {
    ...genesis({ 1: 10n ** 12n, 2: 10n ** 12n }, fees),
    applications: [troubles.inGenesis({ first: FIRST }), token.inGenesis({ holders })],
  };
  const report = (name: string, message: string) => void faults.push(`${name}: ${message}`);
  return chain(start, applications ?? freshApplications([troubles, token], report));
}

const text = (number: number): string => accountKeyText(account(number));
const maxFee = 10n ** 11n;
const call = (...actions: readonly Action[]) => transaction({ actions, maxFee });

function run(on: Chain, ...actions: readonly Action[]): Receipt {
  return on.execute([call(...actions)]).receipts[0] as Receipt;
}

const codeOf = ({ outcome }: Receipt): string => (outcome.status === 'failed' ? outcome.code : outcome.status);

const numberKey = (value: number): Uint8Array => stateKeyOfEntry(0, 0, troubles.json.keyFromJson(0, value));
const entries = ({ batch }: Executed) => batch.filter((each) => each.key[0] === 0x74 || each.key[0] === 0x68);

describe('A1: an application runs under its name in genesis', () => {
  it('a call of an unknown application, or of an unknown action, fails', () => {
    const on = start();
    const other = { ...troubles.call('see', {}), application: 'nothing' } as Action;
    expect(codeOf(run(on, other))).toBe('application-unknown');
    expect(codeOf(run(on, { ...troubles.call('see', {}), action: 999 } as Action))).toBe('call-unknown');
  });

  it('another artifact than that of genesis, or a missing one, gives no genesis', () => {
    expect(() => start(freshApplications([troubles, escrow]))).toThrow(/genesis names token with artifact 0x/);
    expect(() => start(freshApplications([troubles]))).toThrow(/genesis names token/);
  });
});

describe('A2: genesis runs the genesis function', () => {
  it('its entries, and name, hash and version of each application, are in the state', () => {
    const on = start();
    for (let i = 0; i < FIRST; i++) expect(on.read(numberKey(i))).toBeDefined();
    expect(on.read(numberKey(FIRST))).toBeUndefined();
    const apps = on.read(concatBytes(utf8('s'), utf8('apps'))) as Uint8Array;
    expect(toHex(apps)).toContain(toHex(sha256(troubles.artifact)));
    expect(toHex(apps)).toContain(toHex(utf8('troubles')));
    expect(balanceOf(on, 1)).toBe('1000');
  });

  it.each([
    [0, 'no-first'],
    [1, 'Error: one'],
    [2, 'application-fault'],
  ])('one that fails, throws, or wants coins gives no chain (%s)', (first, reason) => {
    const bad = { ...genesis({}), applications: [troubles.inGenesis({ first })] };
    expect(() => chain(bad, freshApplications([troubles]))).toThrow(`of troubles did not succeed: ${reason}`);
  });

  it('one with malformed input gives no chain', () => {
    const application = { ...troubles.inGenesis({ first: 5 }), input: new Uint8Array(3) };
    const bad = { ...genesis({}), applications: [application] };
    expect(() => chain(bad, freshApplications([troubles]))).toThrow('bad-input');
  });
});

function balanceOf(on: Chain, owner: number): unknown {
  const value = on.read(stateKeyOfEntry(1, 0, token.json.keyFromJson(0, text(owner))));
  return value === undefined ? undefined : token.json.valueToJson(0, value).value;
}

describe('A3: a call is all or nothing', () => {
  it('writes entries, and its events are in the output', () => {
    const on = start();
    const receipt = run(on, token.call('transfer', { to: text(2), value: '30' }));
    expect(codeOf(receipt)).toBe('success');
    expect([balanceOf(on, 1), balanceOf(on, 2)]).toEqual(['970', '30']);
    const [event] = eventsInOutput(receipt.output) ?? [];
    expect(event).toMatchObject({ application: 1, event: 0 });
    const body = event?.body ?? new Uint8Array(0);
    expect(token.json.eventToJson(0, body)).toEqual({ from: text(1), to: text(2), value: '30' });
  });

  it('knows sender and height', () => {
    const on = start();
    const { output } = run(on, troubles.call('see', {}));
    const [event] = eventsInOutput(output) ?? [];
    expect(troubles.json.eventToJson(1, event?.body ?? new Uint8Array(0))).toEqual({ sender: text(1), height: 1 });
  });

  it('a failure undoes every action of its transaction, and leaves its text', () => {
    const on = start();
    const executed = on.execute([
      call(transfer(2, 5n), token.call('transfer', { to: text(2), value: '3' }), troubles.call('failAfterWriting', {})),
    ]);
    const [receipt] = executed.receipts as readonly [Receipt];
    expect(receipt.outcome).toEqual({ status: 'failed', code: 'application-failed', action: 2 });
    expect(failureInOutput(receipt.output)).toBe('no-reason');
    expect(entries(executed)).toEqual([]);
    expect(on.balance(2)).toBe(10n ** 12n);
    expect(on.balance(1)).toBe(10n ** 12n - receipt.fee);
  });

  it.each([
    ['crash', {}, 'application-fault'],
    ['loop', {}, 'out-of-compute'],
    ['recurse', { n: 4_000_000_000 }, 'out-of-compute'],
  ])('%s fails the transaction, and the chain goes on', (action, input, code) => {
    const on = start();
    const executed = on.execute([call(troubles.call(action, input)), call(troubles.call('see', {}))]);
    expect(executed.receipts.map(codeOf)).toEqual([code, 'success']);
    expect(entries(executed)).toEqual([]);
    expect(executed.receipts[0]?.output).toHaveLength(0);
  });

  it('the message of an exception goes to the log alone', () => {
    faults.length = 0;
    run(start(), troubles.call('crash', {}));
    expect(faults).toEqual(['troubles: action crash: Error: crashed']);
  });

  it('input of another form fails', () => {
    const bytes = { ...troubles.call('see', {}), input: Uint8Array.of(1) } as Action;
    expect(codeOf(run(start(), bytes))).toBe('bad-input');
  });
});

describe('A4: units are declared, charged and kept', () => {
  it('reads and writes count once a key', () => {
    expect(codeOf(run(start(), troubles.call('read', { count: 20 })))).toBe('success');
    expect(codeOf(run(start(), troubles.call('read', { count: 21 })))).toBe('out-of-units');
    expect(codeOf(run(start(), troubles.call('writeTwice', { count: 10 })))).toBe('success');
    expect(codeOf(run(start(), troubles.call('write', { from: 0, count: 11 })))).toBe('out-of-units');
  });

  it('bytes are those of values and events', () => {
    expect(codeOf(run(start(), troubles.call('note', { size: 1_024 })))).toBe('success');
    expect(codeOf(run(start(), troubles.call('fill', { size: 32_768 })))).toBe('success');
    expect(codeOf(run(start(), troubles.call('fillLittle', { size: 256 })))).toBe('success');
    expect(codeOf(run(start(), troubles.call('fillLittle', { size: 512 })))).toBe('out-of-units');
  });

  it('no value is longer than the state takes', () => {
    const host = createCallHost(0, { spendTicks() {} });
    const limits = { reads: 1, writes: 1, bytes: 1_000_000 };
    host.begin({ scratch: { get: () => undefined, set() {} }, caller: undefined, limits });
    host.put(host.key(0, new Uint8Array(4), 4), new Uint8Array(65_536), 65_536);
    expect(() => host.put(host.key(0, new Uint8Array(4), 4), new Uint8Array(65_537), 65_537)).toThrow('out-of-units');
  });

  it('the fee is that of the units by the manifest, less what was not allocated', () => {
    const on = start();
    const applications = freshApplications([troubles, token]);
    const made = call(troubles.call('write', { from: 100, count: 2 }));
    const [receipt] = on.execute([made]).receipts as readonly [Receipt];
    const bound = unitsOf(made.transaction, made.bytes.length, applications.unitsOfCall);
    expect(bound).toEqual([made.bytes.length, 50 + 5 + 2 * 900 + 1, 1 + 20 + 10, 10 * 68 + 4_000, 2 + 2 * 10 + 63]);
    const [bandwidth, compute, read, , write] = bound;
    const allocated = receipt.units[3] as number;
    expect(receipt.units).toEqual([bandwidth, compute, read, allocated, write]);
    expect(allocated).toBeGreaterThan(0);
    expect(receipt.fee).toBe(feeOf(receipt.units, METERED_FEES.initialPrices));
  });

  it('a maxFee below them skips the transaction', () => {
    const made = transaction({ actions: [troubles.call('see', {})], maxFee: 1_000n });
    expect(start().execute([made]).skipped).toMatchObject([{ reason: 'max-fee-too-low' }]);
  });
});

describe('A5: declared keys are all that a call accesses', () => {
  it('another key fails it', () => {
    expect(codeOf(run(start(), troubles.call('undeclared', { from: 1, to: 1 })))).toBe('success');
    expect(codeOf(run(start(), troubles.call('undeclared', { from: 1, to: 2 })))).toBe('undeclared-key');
  });

  it('they follow from the call alone: a declaration reads no state', () => {
    expect(codeOf(run(start(), troubles.call('readWhileDeclaring', {})))).toBe('application-fault');
  });

  it('calls that declare other keys do not conflict; calls that declare none conflict with each other', () => {
    const declared = [2, 3].map((from) =>
      transaction({ from: from - 1, actions: [troubles.call('undeclared', { from, to: from })], maxFee }),
    );
    expect(start().execute(declared).stats).toMatchObject({ longestConflictChain: 1, conflictFreeShare: 1 });
    const untold = [1, 2].map((from) => transaction({ from, actions: [troubles.call('see', {})], maxFee }));
    expect(start().execute(untold).stats).toMatchObject({ longestConflictChain: 2 });
  });
});

describe('A6: keys are those of one application', () => {
  it('a long one is in the state by its hash', () => {
    const on = start();
    const [short, long] = ['a'.repeat(20), 'b'.repeat(100)];
    const executed = on.execute([short, long].map((name) => call(troubles.call('setNamed', { name, value: 1 }))));
    expect(executed.receipts.map(codeOf)).toEqual(['success', 'success']);
    const own = (name: string) => troubles.json.keyFromJson(1, name);
    expect(on.read(concatBytes(utf8('t'), Uint8Array.of(0, 0, 1), own(short)))).toBeDefined();
    expect(on.read(concatBytes(utf8('h'), Uint8Array.of(0, 0, 1), sha256(own(long))))).toBeDefined();
    expect(Math.max(...executed.batch.map((each) => each.key.length))).toBeLessThan(64);
  });
});

describe('A7: coins of an application are in purses', () => {
  it('come from the sender alone, and no coin is made or lost', () => {
    const on = start();
    const before = on.supply();
    const collected = run(on, troubles.call('collect', { value: '500' }));
    const paid = run(on, troubles.call('pay', { to: text(3), value: '200' }));
    expect([codeOf(collected), codeOf(paid)]).toEqual(['success', 'success']);
    expect(on.balance(3)).toBe(200n);
    expect(on.supply()).toBe(before);
    const more = run(on, troubles.call('pay', { to: text(3), value: '301' }));
    expect(failureInOutput(more.output)).toBe('insufficient-balance');
    expect(failureInOutput(run(on, troubles.call('collect', { value: String(2n ** 63n) })).output)).toBe(
      'insufficient-balance',
    );
  });

  it('an account of no known scheme gets none', () => {
    const on = start();
    run(on, troubles.call('collect', { value: '500' }));
    const unknown = `0x09${'01'.repeat(32)}`;
    expect(['bad-input']).toContain(codeOf(run(on, troubles.call('pay', { to: unknown, value: '1' }))));
  });

  it('an example holds a deal in escrow', () => {
    const on = chain(
      { ...genesis({ 1: 10n ** 12n, 2: 1_000n }), applications: [escrow.inGenesis({})] },
      freshApplications([escrow]),
    );
    const deal = { seller: text(2), arbiter: text(3), value: '700', deadlineMs: 1_900_000_000_000 };
    const opened = call(escrow.call('open', deal));
    expect(on.execute([opened]).receipts.map(codeOf)).toEqual(['success']);
    const released = run(on, escrow.call('release', { deal: `0x${toHex(opened.id)}` }));
    expect(codeOf(released)).toBe('success');
    expect(on.balance(2)).toBe(1_700n);
  });
});

describe('A8: outputs are bounded', () => {
  it('a receipt has 2,048 bytes of them', () => {
    const on = start();
    const note = troubles.call('note', { size: 1_024 });
    expect(run(on, note).output.length).toBeLessThanOrEqual(RECEIPT_OUTPUT_BYTES_MAX);
    const receipt = run(on, note, note);
    expect(receipt.outcome).toEqual({ status: 'failed', code: 'output-too-long', action: 1 });
  });

  it('the receipts of a block 1 MiB, and later transactions without output go on', () => {
    const on = start();
    const notes = Array.from({ length: 1_100 }, () => call(troubles.call('note', { size: 1_024 })));
    const { receipts } = on.execute([...notes, call(transfer(2, 1n))]);
    const bytes = receipts.reduce((sum, { output }) => sum + output.length, 0);
    expect(bytes).toBeLessThanOrEqual(BLOCK_OUTPUT_BYTES_MAX);
    expect(bytes).toBeGreaterThan(BLOCK_OUTPUT_BYTES_MAX - 2_048);
    expect(codeOf(receipts[1_099] as Receipt)).toBe('block-output-full');
    expect(codeOf(receipts.at(-1) as Receipt)).toBe('success');
  });
});

const tokenAction = fc.oneof(
  fc.record({
    action: fc.constant('transfer'),
    to: fc.integer({ min: 1, max: 4 }),
    value: fc.integer({ min: 0, max: 700 }),
  }),
  fc.record({
    action: fc.constant('approve'),
    to: fc.integer({ min: 1, max: 4 }),
    value: fc.integer({ min: 0, max: 700 }),
  }),
  fc.record({
    action: fc.constant('transferFrom'),
    to: fc.integer({ min: 1, max: 4 }),
    value: fc.integer({ min: 0, max: 700 }),
  }),
);
const step = fc.record({
  from: fc.integer({ min: 1, max: 4 }),
  actions: fc.array(tokenAction, { minLength: 1, maxLength: 3 }),
});

function tokenCall({ action, to, value }: { action: string; to: number; value: number }): Action {
  if (action === 'approve') return token.call(action, { spender: text(to), value: String(value) });
  if (action === 'transfer') return token.call(action, { to: text(to), value: String(value) });
  return token.call(action, { from: text(1), to: text(to), value: String(value) });
}

describe('A9: a call gives the same on each node', () => {
  it('in a realm that ran others before and in a new one, whatever it does; and no token is made or lost', () => {
    const used = freshApplications([token]);
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
        (blocks) => {
          const holders = [{ owner: text(1), value: '1000' }];
          const begin = { ...genesis({ 1: 1n }), applications: [token.inGenesis({ holders })] };
          const [one, other] = [chain(begin, used), chain(begin, () => freshApplications([token]))];
          for (const block of blocks) {
            const made = block.map(({ from, actions }) => transaction({ from, actions: actions.map(tokenCall) }));
            const [a, b] = [one.execute(made), other.execute(made)];
            expect(b).toEqual(a);
            const sum = [1, 2, 3, 4].reduce((total, owner) => {
              const value = one.read(stateKeyOfEntry(0, 0, token.json.keyFromJson(0, text(owner))));
              return total + BigInt(value === undefined ? 0 : String(token.json.valueToJson(0, value).value));
            }, 0n);
            expect(sum).toBe(1_000n);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('also as calls fail, move coins, and end for want of units or ticks; and no coin is made or lost', () => {
    const used = freshApplications([troubles, token]);
    const number = fc.integer({ min: 0, max: 30 });
    const calls = fc.oneof(
      fc.record({ action: fc.constantFrom('write', 'undeclared'), from: number, to: number, count: number }),
      fc.record({ action: fc.constantFrom('writeTwice', 'read'), count: number }),
      fc.record({ action: fc.constantFrom('fillLittle', 'note'), size: fc.integer({ min: 0, max: 2_000 }) }),
      fc.record({ action: fc.constantFrom('crash', 'failAfterWriting', 'readWhileDeclaring', 'see') }),
      fc.record({ action: fc.constant('collect'), value: fc.integer({ min: 0, max: 100 }).map(String) }),
      fc.record({
        action: fc.constant('pay'),
        to: fc.integer({ min: 1, max: 9 }).map(text),
        value: number.map(String),
      }),
      fc.record({ action: fc.constant('setNamed'), name: fc.constantFrom('a', 'b'.repeat(100)), value: number }),
    );
    const paid = fc.record({
      from: fc.integer({ min: 1, max: 2 }),
      actions: fc.array(calls, { minLength: 1, maxLength: 4 }),
    });
    const inputOf = ({ action, from, to, count, ...rest }: Readonly<Record<string, unknown>>) => {
      if (action === 'write') return { from, count };
      if (action === 'undeclared') return { from, to };
      return { ...(count !== undefined && { count }), ...(to !== undefined && { to }), ...rest };
    };
    fc.assert(
      fc.property(
        fc.array(fc.array(paid, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        (blocks) => {
          const [one, other] = [start(used), start(freshApplications([troubles, token]))];
          const supply = one.supply();
          let charged = 0n;
          for (const block of blocks) {
            const made = block.map(({ from, actions }) =>
              transaction({ from, maxFee, actions: actions.map((each) => troubles.call(each.action, inputOf(each))) }),
            );
            const [a, b] = [one.execute(made), other.execute(made)];
            expect(b).toEqual(a);
            charged += a.receipts.reduce((sum, { fee }) => sum + fee, 0n);
          }
          expect(charged).toBeGreaterThan(0n);
          expect(one.supply()).toBe(supply);
        },
      ),
      { numRuns: 40 },
    );
  });
});
