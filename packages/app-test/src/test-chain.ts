/**
 * A chain for tests of one application: its script as the build makes it, in the realm that nodes use, on a state in memory.
 *
 * Each call is a block of its own. It runs in a new realm and in the one that ran all calls before; both must give the same. After it the
 * application's invariants must hold.
 */
import type { Application } from '@slipstream/app';
import { fromHex, to0x } from '@slipstream/primitives';
import { accountBytes, accountNamed } from './accounts.ts';
import { TestError } from './errors.ts';
import type { Outcome } from './execution.ts';
import { createNodeExecution } from './node/node-execution.ts';
import { purseNamed } from './node/query-host.ts';
import { assertEqualRealms, failureCode, failureText, statusOf } from './outcomes.ts';
import { genesisBytes, type Prepared, prepare } from './prepare.ts';
import { entriesOf, type ShownEntry } from './shown-entries.ts';
import type { AccountText, Actions, GenesisInput, Queries, Receipt, ShownEvent } from './types.ts';

interface ChainOptions<App extends Application> {
  /** What genesis gives to the application. Default: nothing. */
  readonly genesis?: GenesisInput<App>;
  /** Native coins at the start, by account. */
  readonly coins?: Readonly<Record<AccountText, bigint>>;
  /** The time of the first block, milliseconds since 1970. Default: 2026-01-01. */
  readonly startMs?: number;
  /** Run each call in a new realm, too, which takes some 10 ms. Default: true. */
  readonly freshRealms?: boolean;
}

export interface TestOptions<App extends Application> extends ChainOptions<App> {
  /** The application's file: a path, or a URL made with import.meta.url. */
  readonly file: string | URL;
}

export interface TestChain<App extends Application> {
  /** The account of a name, in hexadecimal. */
  account(name: string): AccountText;
  /** The actions of a sender. Each throws TestError `call-failed`, `invariant-broken`, `realms-differ`; FormError for input of another form. */
  as(sender: AccountText): Actions<App>;
  /** The application's queries. They throw TestError `call-failed`. */
  readonly ask: Queries<App>;
  /** Throws TestError `failure-expected` unless `call` fails with the code: one of `fail`, or one of a receipt such as `out-of-compute`. */
  expectFails(code: string, call: () => unknown): void;
  /** Native coins of an account. */
  balance(account: AccountText): bigint;
  setBalance(account: AccountText, amount: bigint): void;
  /** The account of a purse. Text that begins with 0x is hexadecimal, such as an id. */
  purse(label: string): AccountText;
  /** Of the newest block. */
  readonly height: number;
  readonly timeMs: number;
  /** Moves the time of the next block. */
  advance(ms: number): void;
  /** Of all calls that succeeded, oldest first. */
  readonly receipts: readonly Receipt<App>[];
  readonly events: readonly ShownEvent<App>[];
  /** The entries of a table, cell or sorted table, in the order of their keys. */
  entries(table: string): readonly ShownEntry[];
  /** Another chain of the same application, from its genesis. Options replace those of this one. */
  again(options?: ChainOptions<App>): TestChain<App>;
}

const START_MS = Date.UTC(2026, 0, 1);

/** Builds the application, without writing its lock file. Throws BuildError; TestError `another-application`, `genesis-failed`, `invariant-broken`. */
export async function testChain<App extends Application>(
  application: App,
  { file, ...options }: TestOptions<App>,
): Promise<TestChain<App>> {
  return createTestChain<App>(await prepare(application, file), options);
}

function createTestChain<App extends Application>(prepared: Prepared, options: ChainOptions<App>): TestChain<App> {
  const { json, used, build } = prepared;
  const { genesis, coins = {}, startMs = START_MS, freshRealms = true } = options;
  const execution = createNodeExecution(build);
  const receipts: Receipt<App>[] = [];
  let [height, timeMs] = [0, startMs];

  function assertInvariants(after: string): void {
    const broken = execution.invariants(used);
    if (broken.length === 0) return;
    const message = `after ${after} the invariant ${broken.join(' and ')} does not hold`;
    throw new TestError('invariant-broken', message, { invariants: broken });
  }

  function shownEvents({ events }: Outcome): readonly ShownEvent<App>[] {
    return events.map(({ event, body }) => ({
      name: build.manifest.events.find(({ number }) => number === event)?.name,
      body: json.eventToJson(event, body),
    })) as unknown as readonly ShownEvent<App>[];
  }

  function call(sender: AccountText, name: string, input: unknown): Receipt<App> {
    const action = prepared.numberOf('actions', name);
    const bytes = json.inputFromJson(action, input);
    height += 1;
    const order = { action, input: bytes, sender: accountBytes(sender), timeMs, height };
    const fresh = freshRealms ? execution.tryCall(prepared.load(), order) : undefined;
    const outcome = execution.call(used, order);
    if (fresh !== undefined) assertEqualRealms(name, outcome, fresh);
    assertInvariants(name);
    const code = failureCode(outcome.result);
    if (code !== undefined)
      throw new TestError('call-failed', `${name} failed with ${failureText(outcome.result)}`, { code });
    const { ticks, counts } = outcome;
    const receipt = {
      transactionId: to0x(outcome.transactionId) as `0x${string}`,
      height,
      events: shownEvents(outcome),
      used: { ticks, ...counts },
    };
    receipts.push(receipt);
    return receipt;
  }

  function query(name: string, input: unknown): unknown {
    const result = execution.query(used, name, json.queryInputFromJson(name, input));
    if (result.status === 'success') return json.queryOutputToJson(name, result.output);
    const status = statusOf(result);
    const code = failureCode(status);
    throw new TestError('call-failed', `the query ${name} failed with ${failureText(status)}`, { code });
  }

  for (const [account, amount] of Object.entries(coins)) execution.setBalance(accountBytes(account), amount);
  const began = execution.genesis(used, genesisBytes(prepared, genesis));
  if (failureCode(began.result) !== undefined)
    throw new TestError('genesis-failed', `genesis failed with ${failureText(began.result)}`);
  assertInvariants('genesis');

  return {
    account: accountNamed,
    as: (sender) => functionsOf<Actions<App>>(build.manifest.actions, (name) => (input) => call(sender, name, input)),
    ask: functionsOf<Queries<App>>(build.manifest.queries, (name) => (input) => query(name, input)),
    expectFails,
    balance: (account) => execution.balance(accountBytes(account)),
    setBalance: (account, amount) => execution.setBalance(accountBytes(account), amount),
    purse: (label) =>
      to0x(purseNamed(label.startsWith('0x') ? fromHex(label) : Buffer.from(label, 'latin1'))) as AccountText,
    get height() {
      return height;
    },
    get timeMs() {
      return timeMs;
    },
    advance(ms) {
      if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`time does not move by ${ms} ms`);
      timeMs += ms;
    },
    receipts,
    get events() {
      return receipts.flatMap(({ events }) => events);
    },
    entries: (table) => entriesOf(prepared, execution, table),
    again: (changed) => createTestChain(prepared, { ...options, ...changed }),
  };
}

function functionsOf<T>(
  named: readonly { readonly name: string }[],
  make: (name: string) => (input: unknown) => unknown,
): T {
  return Object.fromEntries(named.map(({ name }) => [name, make(name)])) as T;
}

function expectFails(code: string, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof TestError) || error.code !== 'call-failed' || error.data.code !== code) throw error;
    return;
  }
  throw new TestError('failure-expected', `the call succeeded; expected it to fail with ${code}`);
}
