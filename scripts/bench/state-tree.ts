/**
 * The `state-tree` bench: what present state's proofs cost a node and a client.
 *
 *   tree          changes taken in, memory, proofs made and checked, opening (packages/state-tree)
 *   certificate   the certificate that each proof rests on, in Node and in a browser
 */
import { run as measureTree } from '../../packages/state-tree/bench/state-tree.ts';
import type { BenchOptions, Claim } from './claim.ts';
import { measureCertificates } from './state-tree/certificate-browser.ts';

export const parts = ['tree', 'certificate'] as const;

export async function run(options: BenchOptions): Promise<readonly Claim[]> {
  const wants = (name: (typeof parts)[number]) => options.part === undefined || options.part === name;
  const claims: Claim[] = [];
  if (wants('tree')) claims.push(...(await measureTree(options)));
  if (wants('certificate')) claims.push(...(await measureCertificates(options)));
  return claims;
}
