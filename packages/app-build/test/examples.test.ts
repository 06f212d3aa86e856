/** The three examples as their files are: built, and run in a realm over a host in memory. */
import { createManifestJson } from '@slipstream/app/program';
import { decodeArtifact, loadProgram, TICKS_PER_UNIT } from '@slipstream/app-realm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BuildResult, buildApplication } from '../src/index.ts';
import { createMemoryChain, type MemoryChain } from './memory-chain.ts';
import { id, jsonOf, SEED_MAX, sender } from './random-json.ts';

const EXAMPLES = ['token', 'escrow', 'orders'] as const;
type Example = (typeof EXAMPLES)[number];

const built: Readonly<Record<Example, Promise<BuildResult>>> = {
  token: build('token'),
  escrow: build('escrow'),
  orders: build('orders'),
};

function build(name: Example): Promise<BuildResult> {
  const file = new URL(`../../../docs/integrators/examples/applications/${name}.ts`, import.meta.url).pathname;
  return buildApplication(file, { isLockFrozen: true });
}

const contextOf = (seed: number, transaction: number) => ({
  sender: sender(seed),
  transactionId: id(transaction),
  timeMs: 1_000 * transaction,
  height: transaction,
});

/** Calls an action by its name, with JSON. */
async function start(name: Example) {
  const { artifact } = await built[name];
  const decoded = decodeArtifact(artifact);
  if (!decoded.ok) throw decoded.error;
  const program = loadProgram(decoded.value);
  const json = createManifestJson(program.manifest);
  const chain = createMemoryChain();
  let transactions = 0;
  return {
    chain,
    program,
    json,
    call(seed: number, action: string, input: unknown) {
      const number = program.manifest.actions.find((each) => each.name === action)?.number ?? -1;
      return chain.call(program, number, contextOf(seed, transactions++), json.inputFromJson(number, input));
    },
    query: (query: string, input: unknown) =>
      json.queryOutputToJson(query, chain.query(program, query, json.queryInputFromJson(query, input))),
  };
}

const account = (seed: number): string => `0x${Buffer.from(sender(seed)).toString('hex')}`;
const idText = (seed: number): string => `0x${Buffer.from(id(seed)).toString('hex')}`;

describe('token', () => {
  it('moves balances, emits events, and fails without writes', async () => {
    const { chain, program, json, call, query } = await start('token');
    const holders = [{ owner: account(1), value: '100' }];
    expect(chain.genesis(program, json.genesisFromJson({ holders })).result.status).toBe('success');
    const moved = call(1, 'transfer', { to: account(2), value: '30' });
    expect(moved.result).toEqual({ status: 'success' });
    expect(moved.events).toHaveLength(1);
    const event = moved.events[0] as string;
    const body = Uint8Array.from(Buffer.from(event.slice(event.indexOf(':') + 1), 'hex'));
    expect(json.eventToJson(0, body)).toEqual({ from: account(1), to: account(2), value: '30' });
    expect([
      query('balance', { owner: account(1) }),
      query('balance', { owner: account(2) }),
      query('supply', {}),
    ]).toEqual(['70', '30', '100']);
    const failed = call(2, 'transfer', { to: account(1), value: '31' });
    expect(failed).toMatchObject({
      result: { status: 'failed', code: 'insufficient-balance' },
      writes: {},
      events: [],
    });
    expect(call(1, 'approve', { spender: account(3), value: '5' }).result.status).toBe('success');
    expect(call(3, 'transferFrom', { from: account(1), to: account(3), value: '5' }).result.status).toBe('success');
    expect(query('allowance', { owner: account(1), spender: account(3) })).toBe('0');
  });

  it('takes genesis of ten thousand holders', async () => {
    const { chain, program, json, query } = await start('token');
    const holders = Array.from({ length: 10_000 }, (_, i) => ({ owner: account(i % 200), value: '1' }));
    expect(chain.genesis(program, json.genesisFromJson({ holders })).result.status).toBe('success');
    expect(query('supply', {})).toBe('10000');
  });

  it('transfers within the units that an action has by itself', async () => {
    const { chain, program, json, call } = await start('token');
    chain.genesis(program, json.genesisFromJson({ holders: [{ owner: account(1), value: '100' }] }));
    const { ticks } = call(1, 'transfer', { to: account(2), value: '30' });
    expect(ticks).toBeLessThan((program.manifest.actions[0]?.units.fixed.compute ?? 0) * TICKS_PER_UNIT);
  });
});

describe('escrow', () => {
  it('holds a buyer’s coins until they are released', async () => {
    const { chain, call, query } = await start('escrow');
    chain.give(sender(1), 50n);
    const opened = call(1, 'open', { seller: account(2), arbiter: account(3), value: '40', deadlineMs: 5_000 });
    expect(opened.result).toEqual({ status: 'success' });
    expect(chain.balance(sender(1))).toBe(10n);
    expect(call(2, 'release', { deal: idText(0) }).result).toEqual({ status: 'failed', code: 'not-allowed' });
    expect(call(3, 'release', { deal: idText(0) }).result).toEqual({ status: 'success' });
    expect(chain.balance(sender(2))).toBe(40n);
    expect(query('deal', { deal: idText(0) })).toMatchObject({ status: 'released', value: '40' });
    expect(call(3, 'refund', { deal: idText(0) }).result).toEqual({ status: 'failed', code: 'deal-closed' });
  });
});

describe('orders', () => {
  it('trades at the best price first', async () => {
    const { chain, call, query } = await start('orders');
    chain.give(sender(2), 1_000n);
    expect(call(1, 'deposit', { quantity: 10 }).result.status).toBe('success');
    expect(call(1, 'place', { side: 'sell', price: 7, quantity: 4 }).result.status).toBe('success');
    expect(call(1, 'place', { side: 'sell', price: 5, quantity: 4 }).result.status).toBe('success');
    expect(query('top', { side: 'sell' })).toEqual([5, 4]);
    const bought = call(2, 'place', { side: 'buy', price: 8, quantity: 6 });
    expect(bought.result).toEqual({ status: 'success' });
    expect(bought.events).toHaveLength(2);
    expect(query('top', { side: 'sell' })).toEqual([7, 2]);
    expect(chain.balance(sender(1))).toBe(34n);
    expect(chain.balance(sender(2))).toBe(966n);
  });
});

describe('a new and a used realm', () => {
  it.each(EXAMPLES)('give equal results, writes, events and ticks: %s', async (name) => {
    const { artifact } = await built[name];
    const decoded = decodeArtifact(artifact);
    if (!decoded.ok) throw decoded.error;
    const { manifest } = decoded.value;
    const json = createManifestJson(manifest);
    const calls = fc.array(callsOf(manifest, json), { minLength: 20, maxLength: 20 });
    const used = loadProgram(decoded.value);
    let successes = 0;
    fc.assert(
      fc.property(calls, (list) => {
        const [one, other] = [chainWithCoins(), chainWithCoins()];
        list.forEach(({ number, input, seed }, i) => {
          const inUsed = one.call(used, number, contextOf(seed, i), input);
          expect(other.call(loadProgram(decoded.value), number, contextOf(seed, i), input)).toEqual(inUsed);
          if (inUsed.result.status === 'success') successes++;
        });
      }),
      { numRuns: 15, seed: 33 },
    );
    expect(successes).toBeGreaterThan(5);
  });
});

function callsOf(manifest: BuildResult['manifest'], json: ReturnType<typeof createManifestJson>) {
  return fc
    .tuple(fc.constantFrom(...manifest.actions), fc.nat(SEED_MAX))
    .chain(([{ number, input }, seed]) =>
      jsonOf(input).map((value) => ({ number, seed, input: json.inputFromJson(number, value) })),
    );
}

function chainWithCoins(): MemoryChain {
  const chain = createMemoryChain();
  for (let seed = 0; seed <= SEED_MAX; seed++) chain.give(sender(seed), 1_000n);
  return chain;
}
