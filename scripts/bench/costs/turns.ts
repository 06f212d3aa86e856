/** Turns of the event loops of a node with development.profileTurns, by thread and kind: how many, and their processor time. */
import { print } from '../../print.ts';
import { printTable } from '../claim.ts';
import { type Costs, fitCosts, type Window, weightOf } from './model.ts';

/** By thread and kind, separated by a tab. */
export type Turns = ReadonlyMap<string, TurnUse>;

interface TurnUse {
  readonly count: number;
  readonly ms: number;
}

const LINE = /^slipstream_node_(turns|turn_processor_ms)_total\{([^}]*)\} (\S+)$/gm;
const SHOWN_MS_MIN = 0.3;

export function parseTurns(metrics: string): Turns {
  const turns = new Map<string, { count: number; ms: number }>();
  for (const [, what, labels = '', value] of metrics.matchAll(LINE)) {
    const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const key = `${label('thread')}\t${label('kind')}`;
    const use = turns.get(key) ?? { count: 0, ms: 0 };
    use[what === 'turns' ? 'count' : 'ms'] += Number(value);
    turns.set(key, use);
  }
  return turns;
}

export function turnsBetween(before: Turns, after: Turns, seconds: number): Turns {
  return new Map(
    [...after].map(([key, { count, ms }]) => {
      const then = before.get(key) ?? { count: 0, ms: 0 };
      return [key, { count: (count - then.count) / seconds, ms: (ms - then.ms) / seconds }];
    }),
  );
}

interface KindFit {
  readonly key: string;
  readonly count: Costs;
  readonly ms: Costs;
}

/** `turns`: of each window. */
export function printTurns(windows: readonly Window[], turns: readonly Turns[]): void {
  const keys = [...new Set(turns.flatMap((of) => [...of.keys()]))];
  const fits = keys.flatMap((key): KindFit[] => {
    const of = (what: keyof TurnUse) =>
      fitCosts(
        windows,
        turns.map((each) => each.get(key)?.[what] ?? 0),
      );
    const [count, ms] = [of('count'), of('ms')];
    return count === undefined || ms === undefined ? [] : [{ key, count, ms }];
  });
  for (const thread of new Set(keys.map((key) => threadIn(key)))) {
    printThread(
      thread,
      fits.filter(({ key }) => threadIn(key) === thread),
    );
  }
}

function printThread(thread: string, fits: readonly KindFit[]): void {
  const shown = fits
    .filter(({ ms }) => weightOf(ms) >= SHOWN_MS_MIN)
    .toSorted((a, b) => weightOf(b.ms) - weightOf(a.ms));
  const cells = (name: string, count: Costs, ms: Costs) => [
    name,
    count.secondMs.toFixed(1),
    count.blockMs.toFixed(1),
    ms.secondMs.toFixed(1),
    ms.blockMs.toFixed(2),
    ms.transactionUs.toFixed(1),
  ];
  printTable(
    `Turns of the thread ${thread} of one validator, and their processor time`,
    ['kind', 'per second', 'per block', 'K, ms', 'F, ms', 'c, us'],
    shown.map(({ key, count, ms }) => cells(key.slice(key.indexOf('\t') + 1), count, ms)),
  );
  const all = fits.reduce((sum, { ms }) => sum + ms.blockMs, 0);
  print(`  all kinds: F ${all.toFixed(1)} ms; left out: those below ${SHOWN_MS_MIN} ms per second of a busy node`);
}

const threadIn = (key: string) => key.slice(0, key.indexOf('\t'));
