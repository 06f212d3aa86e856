/**
 * 50 validators and 5 full nodes in five regions, in virtual time, with real dissemination, consensus, pipeline, state store and ledger, and
 * this machine's measured costs charged (as in `geo`).
 *
 *   certified   from a chunk's creation to its certificate, at its producer
 *   attested    from sending at the issuer to the notice there that a certified chunk holds the transaction
 *   final       from sending at the issuer to the notice there that the full node has committed it
 *
 * The source (Vryx devnet, 2024): the same 55 machines in us-west-2, us-east-1, ap-south-1, ap-northeast-1 and eu-west-1, one issuer in
 * eu-west-1: 230 ms, 700 ms, 3.25 s; 80 percent of transactions executable at once; bandwidth alike at all validators; none expired.
 *
 * What differs: 100,000 transfers per second on 32 cores a node there, a few hundred here, as all 55 nodes run in one thread; 10 million
 * accounts there, so conflicts are more frequent (the law of the accounts is the same; `vryx:processes` has as many). One main and
 * one verifier thread a node, the executor charged to neither. Signatures are stand-ins with the costs of real ones.
 */
import { print } from '../../print.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../claim.ts';
import { type Costs, METERING_COSTS } from '../geo/costs.ts';
import { createWorkMeter, measureCosts } from '../geo/measure-costs.ts';
import { measureExecution } from '../zaptos/workloads.ts';
import { type NetworkResult, type NetworkSetting, REGIONS, runNetwork } from './network.ts';

type Plan = Omit<NetworkSetting, 'costs' | 'executeMs' | 'meter'>;

const FULL: Plan = { validators: 50, fullNodes: 5, accounts: 10_000, perSecond: 300, warmUpMs: 2_000, issueMs: 10_000 };
const SMOKE: Plan = { validators: 5, fullNodes: 5, accounts: 500, perSecond: 50, warmUpMs: 1_000, issueMs: 1_000 };
/** Of transfers, while the costs of the main thread are measured. */
const METER_MS = 1_000;
/** Transfers in the measured blocks. */
const MEASURED = { few: 10, many: 50, blocks: 60 } as const;

/** ms; shares of 1. */
const SOURCE = { certified: 230, attested: 700, final: 3_250, executable: 0.8 } as const;

export async function runVirtual({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const plan = smoke ? SMOKE : FULL;
  const executeMs = await measureTransferMs();
  const costs = await measure(plan, executeMs, smoke);
  const result = await runNetwork({ ...plan, costs, executeMs });
  printResult(plan, result);
  drawResult(draw, plan, result);
  const { issued, refused, certifiedMs, attestedMs, finalMs } = result;
  if (finalMs.length === 0 || certifiedMs.length === 0) throw new Error('no transaction became final');
  return [
    claim('certified_p50_ms', quantile(certifiedMs, 0.5), 'ms', certifiedMs.length),
    claim('attested_p50_ms', quantile(attestedMs, 0.5), 'ms', attestedMs.length),
    claim('finality_p50_ms', quantile(finalMs, 0.5), 'ms', finalMs.length),
    claim('finality_p95_ms', quantile(finalMs, 0.95), 'ms', finalMs.length),
    claim('expired', issued - refused - finalMs.length, 'transactions', issued),
    claim('executable_share', result.executableShare, 'share', finalMs.length),
    claim('conflict_free_share', result.conflictFreeShare, 'share', finalMs.length),
    claim('bandwidth_in_imbalance', imbalance(result.bytesIn), 'ratio', plan.validators),
    claim('bandwidth_out_imbalance', imbalance(result.bytesOut), 'ratio', plan.validators),
    claim('validator_cores', mean(result.cores), 'cores', plan.validators),
  ];
}

/** Of a transfer, with its share in the digest. */
async function measureTransferMs(): Promise<number> {
  const executeMs = await measureExecution('transfers', MEASURED);
  return executeMs(MEASURED.many) / MEASURED.many;
}

async function measure(plan: Plan, executeMs: number, smoke: boolean): Promise<Costs> {
  const meter = createWorkMeter();
  await runNetwork({ ...plan, issueMs: METER_MS, costs: METERING_COSTS, executeMs, meter });
  const frame = meter.sampleFrame;
  if (frame === undefined) throw new Error('no consensus frame went by while costs were measured');
  print('  costs of the main thread are measured');
  return { ...(await measureCosts({ committee: plan.validators, smoke, frame })), workMs: meter.workMs };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
/** The most loaded validator over the mean. */
const imbalance = (values: readonly number[]) => Math.max(...values) / mean(values);

function printResult({ validators, fullNodes, perSecond }: Plan, result: NetworkResult): void {
  const row = (name: string, values: readonly number[], source: number) => [
    name,
    ...[0.5, 0.95, 0.99].map((share) => quantile(values, share).toFixed(0)),
    String(source),
  ];
  printTable(
    `${validators} validators and ${fullNodes} full nodes in ${REGIONS.length} regions, ${perSecond} transfers per second, ms`,
    ['', 'p50', 'p95', 'p99', 'source'],
    [
      row('chunk certified', result.certifiedMs, SOURCE.certified),
      row('attested, at the issuer', result.attestedMs, SOURCE.attested),
      row('final, at the issuer', result.finalMs, SOURCE.final),
    ],
  );
  const rate = (bytes: readonly number[]) => (mean(bytes) / 1000 / result.seconds).toFixed(0);
  const { issued, refused, finalMs, blocks } = result;
  print(`${issued} issued, ${refused} refused, ${finalMs.length} final in ${blocks} blocks`);
  const [atOnce, free] = [result.executableShare, result.conflictFreeShare].map((share) => share.toFixed(3));
  print(`executable at once ${atOnce} (source ${SOURCE.executable}), without any conflict ${free}`);
  print(
    `a validator: ${rate(result.bytesIn)} kB/s in, ${rate(result.bytesOut)} kB/s out, ${mean(result.cores).toFixed(2)} cores`,
  );
}

function drawResult(draw: BenchOptions['draw'], { validators, fullNodes }: Plan, result: NetworkResult): void {
  const stages = [result.certifiedMs, result.attestedMs, result.finalMs];
  const at = (share: number) => stages.map((values) => quantile(values, share));
  const where = `${validators} validators and ${fullNodes} full nodes in ${REGIONS.length} regions`;
  draw({
    title: `From chunk and transaction to finality: ${where}`,
    about: 'Medians here with p25 and p95, beside those of the source, which carried 100,000 transfers per second.',
    unit: 'ms',
    x: { name: 'stage', unit: '', values: ['chunk certified', 'attested', 'final'] },
    kind: 'bars',
    lines: [
      { name: 'here', values: at(0.5), low: at(0.25), high: at(0.95) },
      { name: 'source', values: [SOURCE.certified, SOURCE.attested, SOURCE.final] },
    ],
  });
  const kilobytes = (bytes: readonly number[]) => bytes.map((of) => of / 1000 / result.seconds);
  draw({
    title: `Bandwidth of each validator: ${where}`,
    about: 'Frames before the link layer, chunks compressed. In the source all validators were alike.',
    unit: 'kB/s',
    x: { name: 'validator', unit: '', values: result.bytesIn.map((_, validator) => validator) },
    lines: [
      { name: 'in', values: kilobytes(result.bytesIn) },
      { name: 'out', values: kilobytes(result.bytesOut) },
    ],
  });
}
