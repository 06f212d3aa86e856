import { defineConfig } from 'vitest/config';

/**
 * One project for each kind of test, so that a command picks kinds by name (`--project unit`) and a person picks files
 * by path (`npx vitest run packages/wal`).
 *
 * `npm test` runs `unit` and `simulation`: all that needs nothing but Node and ends within minutes. The other kinds start
 * real processes, a browser or containers, and have scripts of their own.
 */
const kinds = {
  unit: [
    'packages/*/test/**/*.test.ts',
    'apps/*/test/**/*.test.ts',
    'console/test/**/*.test.{ts,tsx}',
    'test/{architecture,bootstrap}/**/*.test.ts',
  ],
  simulation: ['test/simulation/**/*.test.ts'],
  e2e: ['test/e2e/**/*.test.ts'],
  chaos: ['test/chaos/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  compose: ['test/compose/**/*.test.ts'],
};

/** Tests of one process share the machine with others; a limit only ends what hangs. */
const timeoutMs = {
  unit: 60_000,
  simulation: 300_000,
  e2e: 300_000,
  chaos: 900_000,
  browser: 300_000,
  compose: 900_000,
};

/** These start networks of processes: two at once would fight for the machine and measure each other. */
const oneFileAtATime: readonly string[] = ['e2e', 'chaos', 'browser', 'compose'];

/**
 * Real processes run in real time on a machine that is shared: what fails once and passes at once again was starved. Twice is a
 * fault. In one process only running out of time can be that.
 */
const IF_STARVED = { count: 1, condition: /timed out/ };
const retries = { unit: IF_STARVED, simulation: IF_STARVED, e2e: 1, chaos: 1, browser: 1, compose: 1 };

export default defineConfig({
  test: {
    pool: 'forks',
    projects: (Object.keys(kinds) as (keyof typeof kinds)[]).map((name) => ({
      extends: true,
      test: {
        name,
        include: kinds[name],
        testTimeout: timeoutMs[name],
        hookTimeout: timeoutMs[name],
        retry: retries[name],
        fileParallelism: !oneFileAtATime.includes(name),
      },
    })),
  },
});
