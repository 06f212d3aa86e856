/** Results of a bench, as `--json` prints them and --record writes them. */
import type { Chart } from '@slipstream/app-loadgen';
import { print } from '../print.ts';

export interface Claim {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly samples: number;
}

export interface BenchOptions {
  /** Few samples: only proves that the bench runs. */
  readonly smoke: boolean;
  readonly part?: string | undefined;
  /** Of `application`: random inputs of each example. */
  readonly inputs?: number | undefined;
  /** Adds a chart to the bench's HTML report. */
  readonly draw: (chart: Chart) => void;
}

export function claim(name: string, value: number, unit: string, samples: number): Claim {
  return { name, value: Number(value.toPrecision(4)), unit, samples };
}

export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [head, ...rows].map((row) => row.map((cell) => (typeof cell === 'number' ? format(cell) : cell)));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  print(`\n${title}`);
  for (const row of cells) {
    print(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    );
  }
}

function format(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}

/** The sample below which this share lies. */
export function quantile(samples: readonly number[], share: number): number {
  const ascending = [...samples].sort((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] as number;
}

/** CPU time of all threads, us. */
export function cpuUs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return used.user + used.system;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

export function printRows(title: string, rows: readonly (readonly [string, number, string])[]): void {
  printTable(
    title,
    ['measure', 'value', 'unit'],
    rows.map(([name, value, unit]) => [name, value, unit]),
  );
}
