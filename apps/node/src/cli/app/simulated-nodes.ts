/** Plays an application on simulated nodes, as the kit for tests does, and shows what is printed meanwhile. */
import { type NodeReport, type NodeRuns, playOnNodes } from '@slipstream/app-test';
import type { Terminal } from '@slipstream/command-line';

interface Simulation extends NodeRuns {
  readonly json: boolean;
}

/** Returns the exit code. Throws as `playOnNodes`. */
export async function simulateNodes(
  { json, ...runs }: Simulation,
  { out, onSignals }: Pick<Terminal, 'out' | 'onSignals'>,
) {
  const stopping = new AbortController();
  const release = onSignals(() => stopping.abort());
  const line = (text: string) => {
    if (text.startsWith('{') === json) out(text);
  };
  const report = await playOnNodes(runs, { line, signal: stopping.signal }).finally(release);
  if (!json) out(outcomeLines(report.outcomes).join('\n'));
  return report.failures === 0 ? 0 : 1;
}

/** How calls ended, most frequent first. */
export function outcomeLines(outcomes: NodeReport['outcomes']): readonly string[] {
  return Object.entries(outcomes).map(([name, counts]) => {
    const ended = Object.entries(counts).sort(([, a], [, b]) => b - a);
    return `  ${name}: ${ended.map(([code, times]) => `${times} ${code}`).join(', ') || 'not played'}`;
  });
}
