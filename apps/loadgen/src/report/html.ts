/** The report of a load as one HTML file. */
import { counted } from '@slipstream/primitives';
import type { RunResult, StageLatency } from '../run/steady-run.ts';
import { chartHtml } from './chart-html.ts';
import { escapeHtml, pageHtml } from './page.ts';
import { chartsOf } from './run-charts.ts';

interface ReportFacts {
  readonly title: string;
  /** Configuration and environment of the runs, shown as a list. */
  readonly facts: Readonly<Record<string, string>>;
  readonly runs: readonly RunResult[];
}

export function reportHtml({ title, facts, runs }: ReportFacts): string {
  let charts = 0;
  const sections = runs.map((run, index) => {
    const pictures = chartsOf(run.samples).map((chart) => chartHtml(chart, ++charts));
    const heading = `${runs.length > 1 ? `${index + 1}. ` : ''}${run.transactionsPerSecond} per second for ${run.seconds} s`;
    return [
      `<section aria-labelledby="run-${index}"><h2 id="run-${index}">${escapeHtml(heading)}</h2>`,
      runTable(run),
      `<div class="charts">${pictures.join('\n')}</div></section>`,
    ].join('\n');
  });
  return pageHtml({ title, facts, sections });
}

function runTable(run: RunResult): string {
  const { counts, lost, refusals, latencies, finalPerSecond, audit } = run;
  const row = (name: string, ...cells: readonly (string | number)[]) =>
    `<tr><th scope="row">${escapeHtml(name)}</th>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join('')}</tr>`;
  const stage = (name: string, latency: StageLatency | null) =>
    latency === null
      ? row(name, 'not measured', '', '', '')
      : row(name, latency.p50, latency.p95, latency.p99, latency.max);
  const refused = Object.entries(refusals).map(([reason, count]) => row(`refused: ${reason}`, count));
  const chain =
    audit === null
      ? 'not read'
      : `${audit.transactions} in ${counted(audit.blocks, 'block')}; ${audit.exactlyOnce ? 'each accepted one once, or expired' : 'FAULTS'}`;
  return [
    '<table><caption>From the intended send time, in ms</caption>',
    '<thead><tr><th scope="col">stage</th><th scope="col">p50</th><th scope="col">p95</th><th scope="col">p99</th><th scope="col">max</th></tr></thead>',
    `<tbody>${Object.entries(latencies)
      .map(([name, latency]) => stage(name, latency))
      .join('')}</tbody></table>`,
    '<table><caption>What became of the transactions</caption><tbody>',
    row('final per second, while sent', finalPerSecond),
    ...Object.entries(counts).map(([name, count]) => row(name, count)),
    ...lost.map(({ id, node }) => row(`lost, accepted by ${node}`, id)),
    ...refused,
    row("by the chain's own record", chain),
    '</tbody></table>',
  ].join('\n');
}
