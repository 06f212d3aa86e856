/** In Node and in pages: times of one certificate's verification. */
import type { AggregateCheck } from '@slipstream/crypto/browser';
import { fromHex } from '@slipstream/primitives';

/** Hexadecimal. */
export interface SampleCertificate {
  readonly publicKeys: readonly string[];
  readonly message: string;
  readonly aggregate: string;
}

export interface CertificateTimes {
  readonly by: string;
  /** With new keys. */
  readonly firstMs: readonly number[];
  readonly knownMs: readonly number[];
}

/** `create`: a check that remembers no key. */
export function timesOf(create: () => AggregateCheck, sample: SampleCertificate, count: number): CertificateTimes {
  const certificate = {
    publicKeys: sample.publicKeys.map(fromHex),
    message: fromHex(sample.message),
    aggregate: fromHex(sample.aggregate),
  };
  const first: number[] = [];
  const known: number[] = [];
  for (let i = -2; i < count; i++) {
    const check = create();
    const firstMs = timeOf(() => check.verify(certificate));
    const knownMs = timeOf(() => check.verify(certificate));
    if (i < 0) continue;
    first.push(firstMs);
    known.push(knownMs);
  }
  return { by: create().by, firstMs: first, knownMs: known };
}

function timeOf(verify: () => boolean): number {
  const startMs = performance.now();
  if (!verify()) throw new Error('the certificate of a bench holds');
  return performance.now() - startMs;
}
