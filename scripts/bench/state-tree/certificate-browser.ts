/**
 * One certificate, verified as a light client does, by what it may verify with.
 *
 *   Node, browser: mcl (WebAssembly) and noble (JavaScript), for committees of 4 and 100
 *
 * first: the keys of the signers are read, and checked to be in the group, with it. known: they were before, as for all but the first
 * certificates of an epoch. The signature's point is checked each time. Claims: p10 of wall time, since the machine is shared.
 * certificate_browser_ms is of four members, with known keys, in WebAssembly.
 */
import { fileURLToPath } from 'node:url';
import {
  type AggregateCheck,
  blsSecretNumber,
  blsSecretSum,
  blsSign,
  createAggregateCheck,
  loadAggregateCheck,
} from '@slipstream/crypto/browser';
import { createBlsSigner } from '@slipstream/crypto/native';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { measureInBrowser } from '../browser/measure.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../claim.ts';
import type { PageRequest } from './certificate-page.ts';
import { type CertificateTimes, type SampleCertificate, timesOf } from './certificate-times.ts';

const FULL = 40;
const SMOKE = 3;
/** By size of the committee: as many sign as are needed for a quorum. */
const QUORUMS = { n4: 3, n100: 67 } as const;
const PAGE = fileURLToPath(new URL('certificate-page.ts', import.meta.url));

export async function measureCertificates({ smoke }: BenchOptions): Promise<Claim[]> {
  const count = smoke ? SMOKE : FULL;
  const samples = Object.values(QUORUMS).map(certificateOf);
  const request: PageRequest = { samples, count };
  const pages = await measureInBrowser<readonly CertificateTimes[]>(PAGE, request);
  const runs: readonly (readonly [string, string, readonly CertificateTimes[]])[] = [
    ['browser', 'webassembly', pages.webassembly],
    ['browser', 'javascript', pages.javascript],
    ['node', 'webassembly', await inNode(loadAggregateCheck, request)],
    ['node', 'javascript', await inNode(async () => createAggregateCheck(), request)],
  ];
  const claims: Claim[] = [];
  const rows = runs.flatMap(([where, by, times]) =>
    Object.keys(QUORUMS).flatMap((size, at) => {
      const { by: used, firstMs, knownMs } = times[at] as CertificateTimes;
      if (used !== by) throw new Error(`${where} verified by ${used}, not by ${by}`);
      return Object.entries({ first: firstMs, known: knownMs }).map(([keys, measured]) => {
        claims.push(claim(nameOf({ where, by, size, keys }), quantile(measured, 0.1), 'ms', measured.length));
        return [where, by, size, keys, ...[0.1, 0.5, 0.95].map((share) => quantile(measured, share))];
      });
    }),
  );
  printTable('one certificate, ms', ['where', 'by', 'committee', 'keys', 'p10', 'p50', 'p95'], rows);
  return claims;
}

interface Place {
  readonly where: string;
  readonly by: string;
  readonly size: string;
  readonly keys: string;
}

/** The claim that a goal is for has the short name. */
function nameOf({ where, by, size, keys }: Place): string {
  if (where === 'browser' && by === 'webassembly' && size === 'n4' && keys === 'known') return 'certificate_browser_ms';
  return `${where}_${by === 'webassembly' ? 'wasm' : 'js'}_${keys}_${size}_ms`;
}

/** Its signers have the secrets of the names 0 to `signers` - 1. */
function certificateOf(signers: number): SampleCertificate {
  const secrets = Array.from({ length: signers }, (_, i) => sha256(utf8(`certificate ${i}`)).fill(0, 0, 1));
  const message = sha256(utf8('a certified state'));
  return {
    publicKeys: secrets.map((secret) => toHex(createBlsSigner(secret).publicKey)),
    message: toHex(message),
    aggregate: toHex(blsSign(message, blsSecretSum(secrets.map(blsSecretNumber)))),
  };
}

async function inNode(
  load: () => Promise<AggregateCheck>,
  { samples, count }: PageRequest,
): Promise<readonly CertificateTimes[]> {
  const checks: AggregateCheck[] = [];
  for (let i = 0; i < samples.length * (count + 3); i++) checks.push(await load());
  return samples.map((sample) => timesOf(() => checks.pop() as AggregateCheck, sample, count));
}
