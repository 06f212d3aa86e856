import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** End-to-end tests of small networks, or one command after another: two of these files leave cores free. The longest first. */
const waiting = [
  'guides',
  'equivocator-removed',
  'guides-of-epochs',
  'upgrade',
  'living-committee',
  'fallen-behind',
  'checkpoint',
  'npm-gone',
  'broker',
  'state-sync-resumed',
  'lost-output',
  'divergence',
  'hosts',
  'sessions',
  'distillery',
  'followed-issuer',
  'thread-failures',
  'flight-recorder',
  'retention',
  'strangers',
  'light-client',
  'full-node',
  'examples',
  'application-guide',
  'app-dev',
  'genesis-together',
  'orphans',
  'invalid-signer',
  'tracing',
  'metrics',
  'first-run',
  'committee-renewal',
  'refused-upgrades',
  'alone',
].map((name) => `test/e2e/${name}.test.ts`);

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
    'test/{architecture,bootstrap,fuzz,scripts}/**/*.test.ts',
  ],
  simulation: ['test/simulation/**/*.test.ts'],
  e2e: ['test/e2e/**/*.test.ts'],
  'e2e-side-by-side': waiting,
  long: ['test/long/**/*.test.ts'],
  chaos: ['test/chaos/**/*.test.ts'],
  browser: ['test/browser/**/*.test.ts'],
  compose: ['test/compose/**/*.test.ts'],
};

/** Tests of one process share the machine with others; a limit only ends what hangs. */
const timeoutMs = {
  unit: 240_000,
  simulation: 300_000,
  e2e: 300_000,
  'e2e-side-by-side': 300_000,
  long: 900_000,
  chaos: 900_000,
  browser: 300_000,
  compose: 900_000,
};

/**
 * Files at once. Those of one start networks of processes: two would fight for the machine and measure each other. Vitest's default
 * leaves a core free, which is half of a machine of two.
 */
const cores = availableParallelism();
const filesAtOnce = {
  unit: cores,
  simulation: cores,
  e2e: 1,
  'e2e-side-by-side': 2,
  long: 1,
  chaos: 1,
  browser: 1,
  compose: 1,
};
/** Vitest wants a group for each of these numbers; one ends before the next begins. */
const groupOf = { unit: 1, simulation: 1, e2e: 0, 'e2e-side-by-side': 2, long: 0, chaos: 0, browser: 0, compose: 0 };

/** Begun first, in this order: whatever is long and begins last is waited for by all other cores. */
const longest = [
  ...['scenarios', 'event-hash', 'shrink', 'recorder', 'regressions'].map((name) => `test/simulation/${name}.test.ts`),
  ...waiting,
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.endsWith(name));
      return rank === -1 ? longest.length : rank;
    };
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b));
  }
}

/**
 * Real processes run in real time on a machine that is shared: what fails once and passes at once again was starved. Twice is a
 * fault. In one process only running out of time can be that.
 */
const IF_STARVED = { count: 1, condition: /timed out/ };
const retries = {
  unit: IF_STARVED,
  simulation: IF_STARVED,
  e2e: 1,
  'e2e-side-by-side': 1,
  long: 1,
  chaos: 1,
  browser: 1,
  compose: 1,
};

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'test/with-starter.ts',
    sequence: { sequencer: LongestFirst },
    projects: (Object.keys(kinds) as (keyof typeof kinds)[]).map((name) => ({
      extends: true,
      test: {
        name,
        include: kinds[name],
        exclude: [...configDefaults.exclude, ...(name === 'e2e' ? waiting : [])],
        testTimeout: timeoutMs[name],
        hookTimeout: timeoutMs[name],
        retry: retries[name],
        maxWorkers: filesAtOnce[name],
        sequence: { groupOrder: groupOf[name] },
      },
    })),
  },
});
