/** The `batch` bench: the forms of batches, and what they do where a node meets many certificates at once. */
import { benchForms } from '../../packages/crypto/bench/batch.ts';
import { benchCatchingUp } from './catching-up.ts';
import type { BenchOptions, Claim } from './claim.ts';

export const parts = ['forms', 'catching-up'];

export async function run(options: BenchOptions): Promise<Claim[]> {
  const claims: Claim[] = [];
  if (options.part !== 'catching-up') claims.push(...(await benchForms(options)));
  if (options.part !== 'forms') claims.push(...(await benchCatchingUp(options)));
  return claims;
}
