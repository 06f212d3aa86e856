/** The report of a load as one self-contained HTML file without scripts, in light and dark. */
import type { RunResult, StageLatency } from '../run/steady-run.ts';
import { escapeHtml, lineChart } from './line-chart.ts';
import { chartsOf } from './run-charts.ts';

interface ReportFacts {
  readonly title: string;
  /** Configuration and environment of the runs, shown as a list. */
  readonly facts: Readonly<Record<string, string>>;
  readonly runs: readonly RunResult[];
}

const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #1a1d21; --soft: #59616b; --line: #d5dae0;
  --c0: #0b61a4; --c1: #b34700; --c2: #1b7f3b; --c3: #8a2be2; --c4: #a3195b; --c5: #4d5a00; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --text: #e8ebee; --soft: #a4adb8; --line: #373e46;
  --c0: #6cb6ff; --c1: #ffa657; --c2: #6bd08a; --c3: #cba6ff; --c4: #ff8fb8; --c5: #d3d36b; } }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.2; } h3 { margin: 0 0 .25rem; font-size: 1.05rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; } figure p { margin: .25rem 0; color: var(--soft); }
svg { width: 100%; height: auto; } .sample { width: 30px; height: 6px; vertical-align: middle; }
.grid { stroke: var(--line); } .scale { fill: var(--soft); font-size: 11px; } .line { fill: none; stroke-width: 2; }
${Array.from({ length: 6 }, (_, index) => `.c${index} { stroke: var(--c${index}); }`).join(' ')}
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; list-style: none; }
table { border-collapse: collapse; margin-bottom: 1.25rem; } caption { text-align: left; color: var(--soft); } th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child { text-align: left; } .numbers { max-height: 16rem; overflow: auto; }
@media (max-width: 32rem) { body { padding: 1rem; } th, td { padding: .15rem .3rem; font-size: .85rem; }
  .scale { font-size: 18px; } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--soft); } dd { margin: 0; }
`;

export function reportHtml({ title, facts, runs }: ReportFacts): string {
  let charts = 0;
  const sections = runs.map((run, index) => {
    const pictures = chartsOf(run.samples).map((chart) => lineChart(chart, ++charts));
    const heading = `${runs.length > 1 ? `${index + 1}. ` : ''}${run.transactionsPerSecond} per second for ${run.seconds} s`;
    return [
      `<section aria-labelledby="run-${index}"><h2 id="run-${index}">${escapeHtml(heading)}</h2>`,
      runTable(run),
      `<div class="charts">${pictures.join('\n')}</div></section>`,
    ].join('\n');
  });
  const listed = Object.entries(facts).map(
    ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${escapeHtml(title)}</h1><dl>${listed.join('')}</dl>`,
    ...sections,
    '</main></body></html>',
    '',
  ].join('\n');
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
      : `${audit.transactions} in ${audit.blocks} blocks; ${audit.exactlyOnce ? 'each accepted one once, or expired' : 'FAULTS'}`;
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
