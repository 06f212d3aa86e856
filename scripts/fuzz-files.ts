/**
 * Damaged files: one bit, byte, tail or page of a data folder's files at a time, opened with the code that opens them in a node.
 *
 *   npm run fuzz:files -- [--flips 100000] [--seed 1] [--home FOLDER] [--only KIND] [--case N]
 *
 * Without --home the real stores make the folder from the seed; --home takes a stopped node's, which is only read. Exit code 1 when
 * damaged data is served, lost without a message, or ends the process; prints the command that repeats each case. A TMPDIR in memory is
 * faster.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCases } from '../test/fuzz/files/run.ts';
import { KINDS, type Kind } from '../test/fuzz/files/stores.ts';
import { addTo, createTable, tableLines } from '../test/fuzz/files/table.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print, warn } from './print.ts';

endWithStarter();
const { values } = parseArgs({
  options: {
    flips: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    home: { type: 'string' },
    only: { type: 'string' },
    case: { type: 'string' },
  },
});
const FAULTS_TOLD_MAX = 50;
const PROGRESS_EVERY = 5_000;

function wrong(text: string): never {
  warn(text);
  process.exit(2);
}

const kinds = KINDS.map(([kind]) => kind);
const only = kinds.find((kind) => kind === values.only);
if (values.only !== undefined && only === undefined) {
  wrong(`there is no kind "${values.only}". There are: ${kinds.join(', ')}`);
}
const count = values.case === undefined ? Number(values.flips) : 1;
const first = Number(values.case ?? 0);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(first) || first < 0) {
  wrong(`--flips ${values.flips} --case ${values.case}: whole numbers are needed`);
}
// npm runs scripts in the folder of package.json; paths are relative to the user's folder.
const home = values.home && resolve(process.env.INIT_CWD ?? '.', values.home);

const { seed } = values;
const table = createTable();
let faults = 0;
const startMs = performance.now();
await runCases({ seed, home, only: only as Kind | undefined, first, count }, ({ number, kind, what, verdict }) => {
  addTo(table, kind, verdict.outcome);
  if (values.case !== undefined) print(`${what}\n  ${verdict.outcome}: ${verdict.words}`);
  if ((number + 1) % PROGRESS_EVERY === 0 && values.case === undefined) {
    print(`${number + 1} of ${count} in ${Math.round((performance.now() - startMs) / 1000)} s, ${faults} faults`);
  }
  if (verdict.outcome !== 'forbidden') return;
  faults += 1;
  if (faults > FAULTS_TOLD_MAX || values.case !== undefined) return;
  print(`FORBIDDEN ${what}\n  ${verdict.words}\n  ${replayOf(number)}`);
});
for (const line of tableLines(table)) print(line);
print(`${count} cases, ${faults} faults; seed ${seed}${home === undefined ? '' : `, files of ${home}`}`);
process.exitCode = faults === 0 ? 0 : 1;

function replayOf(number: number): string {
  const options = [`--seed ${seed}`, ...(home ? [`--home ${home}`] : []), ...(only ? [`--only '${only}'`] : [])];
  return `npm run fuzz:files -- ${options.join(' ')} --case ${number}`;
}
