/** What a bench says: see the performance design, "What --json prints". */
export interface Claim {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** How many measurements it rests on. */
  readonly samples: number;
}

export interface BenchOptions {
  /** A few samples of everything: that it runs, not how fast. */
  readonly smoke: boolean;
}

export function claim(name: string, value: number, unit: string, samples: number): Claim {
  return { name, value: Number(value.toPrecision(4)), unit, samples };
}

/** The value below which a share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const ascending = [...samples].sort((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] as number;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

export async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

export function printRows(title: string, rows: readonly (readonly [string, number, string])[]): void {
  console.log(`\n${title}`);
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value, unit] of rows)
    console.log(`  ${name.padEnd(width)}  ${value.toPrecision(3).padStart(8)} ${unit}`);
}
