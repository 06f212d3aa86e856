/**
 * Damaged bytes for every decoder of data from peers, clients and disks (test/fuzz).
 *
 *   npm run fuzz:decoders -- [--count 1000000] [--seed 1] [--only NAME]     a million for each takes ten minutes of one core
 *
 * Exit code 1 when a decoder throws, accepts bytes that encode no value, or refuses without a message; prints the bytes.
 */
import { parseArgs } from 'node:util';
import { allDecoders } from '../test/fuzz/all-decoders.ts';
import { fuzz } from '../test/fuzz/play.ts';
import { endWithStarter } from './end-with-starter.ts';
import { print, warn } from './print.ts';

endWithStarter();
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const count = Number(values.count);
if (!Number.isSafeInteger(count) || count < 1) {
  warn(`--count ${values.count} is no number of inputs`);
  process.exit(2);
}
const decoders = (await allDecoders()).filter(({ name }) => values.only === undefined || name === values.only);
if (decoders.length === 0) {
  warn(`there is no decoder "${values.only}". There are: ${(await allDecoders()).map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
let faults = 0;
for (const decoder of decoders) {
  const result = fuzz(decoder, count, values.seed, () => performance.now());
  faults += result.faults.length;
  const share = ((100 * result.taken) / result.played).toFixed(1);
  print(
    `${result.name.padEnd(28)} ${result.played} inputs, ${share} % taken, slowest ${result.slowestMs.toFixed(1)} ms, ${result.faults.length} faults`,
  );
  for (const fault of result.faults) print(`  ${fault}`);
}
print(`${decoders.length} decoders, ${faults} faults; seed ${values.seed}`);
process.exitCode = faults === 0 ? 0 : 1;
