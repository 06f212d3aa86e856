/** Text of a run: a line per second, and a summary. */
import { counted } from '@slipstream/primitives';
import type { LostTransaction } from '../fate/sent-transactions.ts';
import type { ActiveAccounts } from '../measure/active-accounts.ts';
import type { Sample } from '../run/series.ts';
import type { RunResult, StageLatency } from '../run/steady-run.ts';

/** Rates of the last second, then pending transactions. */
export function progressLine(sample: Sample, before: Sample | undefined): string {
  const { seconds, counts, held, height, latencies, nodes } = sample;
  const span = Math.max(0.001, seconds - (before?.seconds ?? 0));
  const rate = (name: 'sent' | 'accepted' | 'final' | 'refused') =>
    String(Math.round((counts[name] - (before?.counts[name] ?? 0)) / span)).padStart(5);
  const p99 = latencies.final === null ? '    -' : String(Math.round(latencies.final.p99)).padStart(5);
  const cpu = nodes.reduce((sum, node) => sum + usedCpu(node.node, sample, before), 0) / span;
  return [
    `${seconds.toFixed(0).padStart(4)} s`,
    `sent ${rate('sent')}/s`,
    `accepted ${rate('accepted')}/s`,
    `final ${rate('final')}/s`,
    `refused ${rate('refused')}/s`,
    `p99 ${p99} ms`,
    `open ${String(counts.pending).padStart(6)}`,
    ...(held > 0 ? [`held ${held}`] : []),
    `height ${height}`,
    ...(cpu > 0 ? [`cpu ${cpu.toFixed(2)}`] : []),
  ].join('  ');
}

/** Processor seconds of a node between two samples. */
export function usedCpu(name: string, sample: Sample, before: Sample | undefined): number {
  const of = (from: Sample | undefined) => from?.nodes.find(({ node }) => node === name)?.process?.cpuSeconds;
  const now = of(sample);
  const then = of(before);
  return now === undefined || then === undefined ? 0 : Math.max(0, now - then);
}

export function resultText(result: RunResult): string {
  const { counts, latencies, audit, activeAccounts, finalPerSecond, transactionsPerSecond, seconds, senderLateMs } =
    result;
  const fields = (each: object) =>
    Object.entries(each)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  return [
    `offered          ${transactionsPerSecond} per second for ${seconds} s`,
    `final            ${finalPerSecond} per second while it was sent`,
    `transactions     ${fields(counts)}`,
    ...result.lost.map((lost) => `  lost           ${lostText(lost)}`),
    ...Object.entries(result.refusals).map(([reason, count]) => `  refused        ${reason} ${count}`),
    ...Object.entries(latencies).map(([stage, latency]) => `${stage.padEnd(16)} ${latencyText(latency)}`),
    ...(senderLateMs > 0 ? [`the sender itself was up to ${senderLateMs} ms late (counted in the latencies)`] : []),
    ...(audit === null ? [] : [auditText(audit)]),
    ...(activeAccounts === null ? [] : [activeText(activeAccounts)]),
  ].join('\n');
}

/** Names what an operator searches for in the logs. */
export function lostText({ id, node, expiryMs }: LostTransaction): string {
  return `${id}, accepted by ${node}, expired ${new Date(expiryMs).toISOString()}`;
}

function latencyText(latency: StageLatency | null): string {
  if (latency === null) return 'not measured';
  const { p50, p95, p99, max, count } = latency;
  return `p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, max ${max} ms (${count}, from the intended send time)`;
}

function activeText({ perSecond, perMinute, inAll }: ActiveAccounts): string {
  return `unique accounts  ${perSecond ?? '-'} per second, ${perMinute ?? '-'} per minute, ${inAll} in all`;
}

function auditText({ blocks, transactions, faults, exactlyOnce }: NonNullable<RunResult['audit']>): string {
  const read = `the chain itself: ${counted(transactions, 'transaction')} in ${counted(blocks, 'block')}`;
  if (exactlyOnce) return `${read}; each accepted one is there once, or expired`;
  const named = Object.entries(faults).filter(([, ids]) => ids.length > 0);
  return `${read}; FAULTS: ${named.map(([kind, ids]) => `${kind} ${ids.length} (${ids[0]})`).join(', ')}`;
}
