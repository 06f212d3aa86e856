/**
 * The `vryx` bench: the devnet of Vryx and Vilmo (2024), whose 50 validators and 5 full nodes in five regions carried 100,000 transfers per
 * second among 10 million accounts.
 *
 *   virtual     the same 55 nodes and regions in virtual time: times to certificate, attestation, finality; conflicts; bandwidth
 *   processes   four validators and a full node on this machine, 10 million accounts in the state, 30 minutes
 */
import type { BenchOptions, Claim } from './claim.ts';
import { runSustained } from './vryx/sustained.ts';
import { runVirtual } from './vryx/virtual.ts';

export const parts = ['virtual', 'processes'] as const;

export async function run(options: BenchOptions): Promise<Claim[]> {
  const wants = (name: (typeof parts)[number]) => options.part === undefined || options.part === name;
  return [
    ...(wants('virtual') ? await runVirtual(options) : []),
    ...(wants('processes') ? await runSustained(options) : []),
  ];
}
