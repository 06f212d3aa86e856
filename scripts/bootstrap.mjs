/**
 * Entry of every npm script: installs and builds what a checkout lacks, then runs one target on the pinned Node.
 *
 *   npm run NAME -> installed? --no--> npm ci -> bundle and console built? --no--> build -> pinned node TARGET args...
 *
 * Plain JavaScript without dependencies, because it must run before anything is installed, on any Node from 18 on. The
 * target gets this process's arguments, input, output and signals, and determines its exit code. The bootstrap's own messages go to
 * standard error, so that the output of `--json` commands stays clean.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runPinned } from '../packages/checkout/src/pinned-node.mjs';
import { ensureBundle } from './bootstrap/bundle-build.mjs';
import { ensureConsole } from './bootstrap/console-build.mjs';
import { ensureInstalled } from './bootstrap/install.mjs';
import { endWithNpm } from './bootstrap/parent.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const vitest = /** @type {const} */ (['node_modules/vitest/vitest.mjs', 'run']);
const cli = 'apps/node/bin/main.mjs';
const biomeCheck = /** @type {const} */ (['node_modules/@biomejs/biome/bin/biome', 'check']);
const typeChecks = /** @type {const} */ ([
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['node_modules/typescript/bin/tsc', '-p', 'console/tsconfig.json'],
]);

/**
 * Each target: the programs it runs in turn (arguments go to the last), whether it starts the program `slipstream`, and whether it serves
 * the built console.
 * @type {Record<string, { runs: readonly (readonly [file: string, ...fixed: string[]])[], startsNodes?: boolean, servesConsole?: boolean }>}
 */
const targets = {
  node: { runs: [[cli, 'node', '--dev']], startsNodes: true, servesConsole: true },
  devnet: { runs: [['scripts/devnet.ts']], startsNodes: true, servesConsole: true },
  slipstream: { runs: [[cli]], startsNodes: true },
  sim: { runs: [['scripts/sim.ts']] },
  bench: { runs: [['scripts/bench.ts']], startsNodes: true },
  hosts: { runs: [['scripts/hosts.ts']] },
  loadgen: { runs: [['apps/loadgen/src/main.ts']], startsNodes: true },
  chaos: { runs: [['scripts/chaos.ts']], startsNodes: true, servesConsole: true },
  'demo:committee': { runs: [['scripts/demo-committee.ts']], startsNodes: true, servesConsole: true },
  test: { runs: [[...vitest, '--project', 'unit', '--project', 'simulation']] },
  'test:e2e': {
    runs: [[...vitest, '--project', 'e2e', '--project', 'e2e-side-by-side']],
    startsNodes: true,
    servesConsole: true,
  },
  'test:long': { runs: [[...vitest, '--project', 'long']], startsNodes: true, servesConsole: true },
  'test:browser': { runs: [[...vitest, '--project', 'browser']], startsNodes: true, servesConsole: true },
  'test:chaos': { runs: [[...vitest, '--project', 'chaos']], startsNodes: true, servesConsole: true },
  'test:compose': { runs: [[...vitest, '--project', 'compose']] },
  typecheck: { runs: typeChecks },
  check: { runs: [biomeCheck, ...typeChecks] },
  'check:deploy': { runs: [['scripts/check-deploy.ts']] },
  'fuzz:api': { runs: [['scripts/fuzz-api.ts']], startsNodes: true },
  'fuzz:decoders': { runs: [['scripts/fuzz-decoders.ts']] },
  'fuzz:files': { runs: [['scripts/fuzz-files.ts']] },
  console: { runs: [], servesConsole: true },
  setup: { runs: [], startsNodes: true },
  lint: { runs: [biomeCheck] },
  format: { runs: [[...biomeCheck, '--write']] },
};

// A missing reader or a full partition must not end the target.
process.stderr.on('error', () => {});

/** @param {string} line */
const say = (line) => process.stderr.write(`slipstream: ${line}\n`);

/**
 * @param {string | undefined} name
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main(name, args) {
  const target = Object.entries(targets).find(([key]) => key === name)?.[1];
  if (target === undefined) {
    say(`no target "${name ?? ''}". There are: ${Object.keys(targets).join(', ')}`);
    return 2;
  }
  await ensureInstalled({ root, say });
  const absent = target.runs.map(([file]) => file).find((file) => !existsSync(join(root, file)));
  if (absent !== undefined) {
    say(`"npm run ${name}" needs ${absent}, which this checkout does not have.`);
    return 2;
  }
  const stopCode = target.startsNodes ? await ensureBundle({ root, say }) : 0;
  if (stopCode !== 0) return stopCode;
  if (target.servesConsole) await ensureConsole({ root, say });
  for (const [index, run] of target.runs.entries()) {
    const last = index === target.runs.length - 1;
    const [file, ...fixed] = run;
    const code = await runPinned({ root, file: join(root, file), args: last ? [...fixed, ...args] : fixed });
    if (code !== 0) return code;
  }
  return 0;
}

const [name, ...args] = process.argv.slice(2);
endWithNpm(name);
main(name, args).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  },
);
