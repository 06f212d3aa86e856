import { cpus } from 'node:os';
import { writeText } from '@slipstream/node-home';
import { counted } from '@slipstream/primitives';
import { reportHtml } from '../report/html.ts';
import type { RunResult } from '../run/steady-run.ts';

export interface Reported {
  readonly seed: string;
  readonly options: {
    readonly nodes: string | undefined;
    readonly validators: number;
    readonly fullnodes: number;
    readonly accounts: number;
    readonly bytes: number;
  };
  readonly runs: readonly RunResult[];
}

export async function writeReport(path: string, { seed, options, runs }: Reported): Promise<void> {
  const { nodes, validators, fullnodes: fullNodes, accounts, bytes } = options;
  const processors = cpus();
  const facts = {
    seed,
    nodes: nodes ?? `${counted(validators, 'validator')}, ${counted(fullNodes, 'full node')}, all on this machine`,
    accounts: `${accounts}, drawn by a Zipf-Mandelbrot law (s = 1.0001, v = 2.7)`,
    transactions: `transfers of ${Math.max(236, bytes)} bytes`,
    machine: `${processors.length} x ${processors[0]?.model ?? 'unknown'}, Node ${process.versions.node}`,
    date: new Date().toISOString(),
  };
  await writeText(path, reportHtml({ title: 'Slipstream under load', facts, runs }));
}
