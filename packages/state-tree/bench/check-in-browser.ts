/**
 * Run with --conditions=browser: SHA-256 in plain JavaScript. Input: the root, then a line of key, value or "-", and proof for each check, in
 * hexadecimal. Prints the p99 of a check in milliseconds.
 */
import { readFileSync } from 'node:fs';
import { fromHex } from '@slipstream/primitives';
import { pathProofCodec, verifyPath } from '../src/index.ts';

/** Checks until the code is compiled. */
const WARM_UP = 300;

const [root = '', ...lines] = readFileSync(0, 'utf8').split('\n');
const rootBytes = fromHex(root);
const checks = lines.map((line) => {
  const [key = '', value = '', proof = ''] = line.split(' ');
  return { key: fromHex(key), value: value === '-' ? undefined : fromHex(value), proof: fromHex(proof) };
});
const timesMs = [...checks.slice(0, WARM_UP), ...checks]
  .map(({ key, value, proof }) => {
    const startMs = performance.now();
    const decoded = pathProofCodec.decode(proof);
    const isRight = decoded.ok && verifyPath(rootBytes, key, value, decoded.value).ok;
    const tookMs = performance.now() - startMs;
    if (!isRight) throw new Error('a proof fails');
    return tookMs;
  })
  .slice(Math.min(WARM_UP, checks.length));
timesMs.sort((a, b) => a - b);
process.stdout.write(String(timesMs[Math.floor(0.99 * timesMs.length)]));
