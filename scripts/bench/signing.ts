/**
 * The `signing` bench: one share of an aggregate, by what a client may sign with.
 *
 *   Node:    blst (native), mcl (WebAssembly), noble (JavaScript); noble with signatures in the smaller group, which our scheme has not
 *   browser: the SDK's signer in its worker, with a policy that allows WebAssembly and one that does not
 *
 * Claims: in Node p50 of processor time, in the browser p10 of wall time, since the machine is shared. page_gap_ms: p90 of the time that the
 * page had no turn while its worker signed in JavaScript.
 */
import { fileURLToPath } from 'node:url';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { loadShareSigning } from '@slipstream/crypto/browser';
import { createBlsSigner } from '@slipstream/crypto/native';
import { sha256, uint32le } from '@slipstream/primitives';
import { blsSignUncompressed } from '../../packages/crypto/src/browser/bls-key.ts';
import { measureInBrowser } from './browser/measure.ts';
import { type BenchOptions, type Claim, claim, cpuUs, median, printTable, quantile } from './claim.ts';
import type { PageTimes } from './signing/page.ts';

const FULL = { fast: 400, slow: 100, browser: 60 };
const SMOKE = { fast: 20, slow: 5, browser: 5 };
const PAGE = fileURLToPath(new URL('signing/page.ts', import.meta.url));
const SECRET = new Uint8Array(32).fill(1);

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  const native = createBlsSigner(SECRET);
  const { by, sign } = await loadShareSigning();
  if (by !== 'webassembly') throw new Error('WebAssembly did not load');
  const small = bls12_381.shortSignatures;
  const rows: Readonly<Record<string, readonly number[]>> = {
    blst_ms: times(size.fast, (message) => native.sign(message)),
    wasm_ms: times(size.fast, (message) => sign(message, SECRET)),
    js_ms: times(size.slow, (message) => blsSignUncompressed(message, SECRET)),
    js_small_group_ms: times(size.slow, (message) => small.sign(small.hash(message), SECRET).toBytes(false)),
  };
  const { webassembly, javascript } = await measureInBrowser<PageTimes>(PAGE, size.browser);
  if (webassembly?.by !== 'webassembly' || javascript?.by !== 'javascript')
    throw new Error('a policy was not respected');
  const pages = { browser_wasm_ms: webassembly.workerMs, browser_js_ms: javascript.workerMs };
  printTable(
    'one share, ms',
    ['by', 'p10', 'p50', 'p95'],
    Object.entries({ ...rows, ...pages }).map(([name, samples]) => [
      ...[name, quantile(samples, 0.1), median(samples), quantile(samples, 0.95)],
    ]),
  );
  return [
    ...Object.entries(rows).map(([name, samples]) => claim(name, median(samples), 'ms', samples.length)),
    ...Object.entries(pages).map(([name, samples]) => claim(name, quantile(samples, 0.1), 'ms', samples.length)),
    claim('page_gap_ms', quantile(javascript.gapsMs, 0.9), 'ms', javascript.gapsMs.length),
  ];
}

function times(count: number, sign: (message: Uint8Array) => unknown): readonly number[] {
  const samples: number[] = [];
  for (let i = -5; i < count; i++) {
    const message = sha256(uint32le(i + 5));
    const us = cpuUs(() => void sign(message));
    if (i >= 0) samples.push(us / 1_000);
  }
  return samples;
}
