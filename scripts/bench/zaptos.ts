/**
 * The `zaptos` bench: the parallel pipeline against the sequential one, from a client's submission to the commit at its full node.
 *
 *   links      real processes, ten validators and a full node with the delays of ten regions: latency against throughput up to saturation,
 *              its breakdown by stage, clients at the full node and at a validator
 *   low        only by name: of links, the low load alone, what the parallel mode saves by stage beside the prediction
 *   faults     virtual time, ten members, a full node and a client beside each: 1 and 3 leaders that show two blocks, 1 and 3 crashed
 *              members. Latency counts the wait for a lost view and the next proposal
 *   workloads  the same without faults: transfers; transferMany to 100 accounts, which is costly to execute; 4 kB of data, costly to write
 *
 * The source (arXiv 2501.10612, section 6) ran 100 validators and 30 full nodes, and 10 with 10 for faults, on machines of 32 and 64 cores.
 * Ten validators share two cores here, so saturation comes at hundreds of transactions per second and blocks are spaced out; what does not
 * fit the cores runs in virtual time: real consensus, dissemination, pipeline, execution and storage, charged with what they cost on this
 * machine (geo.ts). Bandwidth is not limited there. Its baseline in virtual time is the source's: a full node gets a block once its validator
 * has committed it. Notes: docs/performance/pipeline.md.
 */
import type { BenchOptions, Claim } from './claim.ts';
import { runFaults } from './zaptos/faults.ts';
import { FULL_LINKS, LOW_LINKS, runLinks, SMOKE_LINKS } from './zaptos/links-report.ts';
import { measureMachine } from './zaptos/machine.ts';
import { runWorkloads } from './zaptos/workload-runs.ts';

export const parts = ['links', 'low', 'faults', 'workloads'] as const;

export async function run(options: BenchOptions): Promise<Claim[]> {
  const { smoke, part } = options;
  const claims: Claim[] = [];
  const wants = (name: (typeof parts)[number]) => part === undefined || part === name;
  if (wants('links')) claims.push(...(await runLinks(smoke ? SMOKE_LINKS : FULL_LINKS, options)));
  if (part === 'low') claims.push(...(await runLinks(smoke ? SMOKE_LINKS : LOW_LINKS, options)));
  if (wants('faults') || wants('workloads')) {
    const machine = await measureMachine(smoke);
    if (wants('faults')) claims.push(...(await runFaults(machine, options)));
    if (wants('workloads')) claims.push(...(await runWorkloads(machine, options)));
  }
  return claims;
}
