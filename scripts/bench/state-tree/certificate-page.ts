/** In a browser's page, whose policy says what it may verify with. */
import { type AggregateCheck, loadAggregateCheck } from '@slipstream/crypto/browser';
import { type CertificateTimes, type SampleCertificate, timesOf } from './certificate-times.ts';

declare const window: { measure?: (request: PageRequest) => Promise<readonly CertificateTimes[]> };

export interface PageRequest {
  readonly samples: readonly SampleCertificate[];
  readonly count: number;
}

window.measure = async ({ samples, count }) => {
  const times: CertificateTimes[] = [];
  for (const sample of samples) {
    const checks: AggregateCheck[] = [];
    for (let i = 0; i < count + 3; i++) checks.push(await loadAggregateCheck());
    times.push(timesOf(() => checks.pop() as AggregateCheck, sample, count));
  }
  return times;
};
