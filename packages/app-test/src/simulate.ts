/**
 * Plays random actions against an application, in memory and in one thread; with `nodes`, on simulated nodes (nodes/simulate-on-nodes.ts).
 *
 *   seed --> sender, action, input --> realm that lives on      --> equal results, writes, events, ticks? --> invariants
 *        \-> crash                 \-> realm that crashes       /
 *
 * A crash stands for a node that starts again: the realm is thrown away and loaded again, the state stays. Without `nodes` there is no
 * consensus, no rival block, no lag, no disk and no block of several transactions.
 */
import { setImmediate } from 'node:timers/promises';
import type { Application } from '@slipstream/app';
import { to0x } from '@slipstream/primitives';
import { createRandom, type SeededRandom } from '@slipstream/simulator';
import { accountBytes, accountNamed } from './accounts.ts';
import { TestError } from './errors.ts';
import type { CallStatus } from './execution.ts';
import {
  type DrawnInputs,
  type NodeSimulationOptions,
  type SimulatedOnNodes,
  simulateOnNodes,
} from './nodes/simulate-on-nodes.ts';
import { failureCode, failureText } from './outcomes.ts';
import { genesisBytes, type Prepared, prepare, prepareFile } from './prepare.ts';
import { entriesOf, type ShownEntry } from './shown-entries.ts';
import { drawCall, type World } from './simulation/draw-call.ts';
import { createTwoLives, type TwoLives } from './simulation/two-lives.ts';
import type { AccountText, GenesisInput } from './types.ts';

export interface SimulationOptions<App extends Application> {
  /** The application's file: a path, or a URL made with import.meta.url. */
  readonly file: string | URL;
  /** Default: nothing. */
  readonly genesis?: GenesisInput<App>;
  /** Runs, each with a state of its own. Default: 10. */
  readonly seeds?: number;
  /** Default: 1. */
  readonly firstSeed?: number;
  /** Of each run. Default: 200. */
  readonly actions?: number;
  /** Senders. Default: four, `account0` to `account3`. */
  readonly accounts?: readonly AccountText[];
  /** Native coins of each account at the start. Default: 1,000. */
  readonly coins?: bigint;
  /** Of a crash before an action, from 0 to 1. Default: 0.02. */
  readonly crashChance?: number;
  /** Inputs of some actions, where random values would seldom be valid. */
  readonly inputs?: DrawnInputs<App>;
  /** Codes of defects that do not end the simulation, of `DEFECTS`. Default: none. */
  readonly tolerates?: readonly string[];
  /** What holds after each run, beside the application's invariants: it may read whole tables. */
  readonly holds?: Readonly<Record<string, (state: EndState) => boolean>>;
}

interface EndState {
  entries(table: string): readonly ShownEntry[];
  balance(account: AccountText): bigint;
}

export interface Simulated {
  readonly actions: number;
  readonly crashes: number;
  /** How often each action ended how: `success`, or the code of its failure. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Actions that no call succeeded in: the run says nothing about them. Give `inputs` for them. */
  readonly neverSucceeded: readonly string[];
}

/** An application that is right gives none of these. */
const DEFECTS: readonly string[] = ['application-fault', 'undeclared-key', 'out-of-units', 'out-of-compute'];

const BLOCK_MS_MAX = 2_000;

/** On simulated nodes: power cuts, rival blocks, a node far behind; invariants after each final block. Throws as the other, and as `simulateOnNodes`. */
export function simulate<App extends Application>(
  application: App,
  options: NodeSimulationOptions<App>,
): Promise<SimulatedOnNodes>;
/** Throws TestError `simulation-failed` with the seed and the call; BuildError, `another-application`, as `testChain`. */
export function simulate<App extends Application>(
  application: App,
  options: SimulationOptions<App>,
): Promise<Simulated>;
export async function simulate<App extends Application>(
  application: App,
  options: SimulationOptions<App> | NodeSimulationOptions<App>,
): Promise<Simulated | SimulatedOnNodes> {
  const prepared = await prepare(application, options.file);
  return 'nodes' in options ? simulateOnNodes(prepared, options) : playSeeds(prepared, options as unknown as Play);
}

/** For programs that have the application's file alone. Gives way to others after each seed. */
export async function simulateFile(
  options: Omit<SimulationOptions<Application>, 'genesis'> & { readonly genesis?: unknown },
  progress: (done: number, total: number) => void,
): Promise<Simulated> {
  const prepared = await prepareFile(options.file);
  return playSeeds(prepared, options, async (done, total) => {
    progress(done, total);
    await setImmediate();
  });
}

interface Tally {
  actions: number;
  crashes: number;
  readonly outcomes: Record<string, Record<string, number>>;
}

type Play = Omit<SimulationOptions<Application>, 'file' | 'genesis'> & { readonly genesis?: unknown };

async function playSeeds(
  prepared: Prepared,
  options: Play,
  afterSeed?: (done: number, total: number) => Promise<void>,
): Promise<Simulated> {
  const { seeds = 10, firstSeed = 1 } = options;
  const names = prepared.build.manifest.actions.map(({ name }) => name);
  const tally: Tally = { actions: 0, crashes: 0, outcomes: Object.fromEntries(names.map((name) => [name, {}])) };
  for (let played = 0; played < seeds; played++) {
    playSeed(prepared, firstSeed + played, options, tally);
    await afterSeed?.(played + 1, seeds);
  }
  return { ...tally, neverSucceeded: names.filter((name) => tally.outcomes[name]?.success === undefined) };
}

function playSeed(prepared: Prepared, seed: number, options: Play, tally: Tally): void {
  const { actions = 200, crashChance = 0.02, coins = 1_000n, holds = {}, tolerates = [] } = options;
  const { accounts = [0, 1, 2, 3].map((number) => accountNamed(`account${number}`)) } = options;
  const random = createRandom(seed);
  const clock = { height: 0, timeMs: Date.UTC(2026, 0, 1), ids: [] as string[] };
  let last = 'genesis';
  try {
    const genesis = genesisBytes(prepared, options.genesis);
    const lives = createTwoLives(prepared, { genesis, coins: accounts.map((each) => [accountBytes(each), coins]) });
    for (let i = 0; i < actions; i++) {
      if (random.chance(crashChance)) {
        lives.crash();
        tally.crashes += 1;
      }
      const draw = drawFrom(prepared, random, { accounts, ids: clock.ids, timeMs: clock.timeMs }, options);
      last = `action ${i}, ${draw.name} of ${draw.sender} with ${shownInput(draw.input)}`;
      const result = playCall(prepared, lives, draw, clock, tally);
      const code = failureCode(result) ?? 'success';
      if (DEFECTS.includes(code) && !tolerates.includes(code))
        throw new TestError('call-failed', `failed with ${failureText(result)}`, { code });
      clock.timeMs += random.below(BLOCK_MS_MAX);
    }
    last = 'the end';
    lives.assertEqualStates();
    assertHolds(prepared, lives, holds);
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    const message = `seed ${seed}, ${last}: ${error.message}\n  Replay it with firstSeed: ${seed}, seeds: 1.`;
    throw new TestError('simulation-failed', message, { ...error.data, seed, code: error.code }, error);
  }
}

interface Draw extends ReturnType<typeof drawCall> {
  readonly sender: string;
}

function drawFrom({ build }: Prepared, random: SeededRandom, world: World, { inputs }: Play): Draw {
  const sender = random.pick(world.accounts);
  return { sender, ...drawCall(build.manifest, random, world, inputs as Parameters<typeof drawCall>[3]) };
}

interface Clock {
  height: number;
  timeMs: number;
  readonly ids: string[];
}

function playCall({ json }: Prepared, lives: TwoLives, draw: Draw, clock: Clock, tally: Tally): CallStatus {
  const { name, action, sender, input } = draw;
  clock.height += 1;
  const { height, timeMs, ids } = clock;
  const call = { action, input: json.inputFromJson(action, input), sender: accountBytes(sender), timeMs, height };
  const { result, transactionId } = lives.call(name, call);
  ids.push(to0x(transactionId));
  const code = failureCode(result) ?? 'success';
  const counts = tally.outcomes[name] as Record<string, number>;
  counts[code] = (counts[code] ?? 0) + 1;
  tally.actions += 1;
  return result;
}

function assertHolds(prepared: Prepared, { execution }: TwoLives, holds: NonNullable<Play['holds']>): void {
  const state: EndState = {
    entries: (table) => entriesOf(prepared, execution, table),
    balance: (account) => execution.balance(accountBytes(account)),
  };
  const broken = Object.keys(holds).filter((name) => holds[name]?.(state) !== true);
  if (broken.length > 0) throw new TestError('invariant-broken', `${broken.join(' and ')} does not hold`, { broken });
}

function shownInput(input: unknown): string {
  return JSON.stringify(input, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
