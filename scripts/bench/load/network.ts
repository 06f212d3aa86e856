/** Networks of real processes for benches, and a load's parts on them. */
import { availableParallelism } from 'node:os';
import {
  createSeededRandom,
  createSignerPool,
  type NetworkShape,
  prepareChain,
  type RunComponents,
  startOwnNetwork,
  type TargetNetwork,
  type Workload,
} from '@slipstream/app-loadgen';
import { flagName } from '@slipstream/node-home';
import { print } from '../../print.ts';

export interface Pressed {
  readonly components: RunComponents;
  readonly network: TargetNetwork;
}

export type Load = Pick<Workload, 'accounts' | 'seed'> & Partial<Workload>;

type Settings = Readonly<Record<string, number>>;
type Shape = Omit<NetworkShape, 'say' | 'flags'>;

export async function onNetwork<T>(
  shape: Shape,
  settings: Settings,
  use: (network: TargetNetwork) => Promise<T>,
): Promise<T> {
  const flags = Object.entries(settings).flatMap(([key, value]) => [`--${flagName(key)}`, String(value)]);
  say(`settings: ${flags.join(' ')}`);
  const network = await startOwnNetwork({ ...shape, flags, say });
  try {
    return await use(network);
  } finally {
    await network.close();
  }
}

export async function press<T>(network: TargetNetwork, load: Load, use: (pressed: Pressed) => Promise<T>): Promise<T> {
  const workload: Workload = { transactionBytes: 0, ...load };
  const chain = await prepareChain(network.nodes, workload);
  const pool = createSignerPool(chain.task, availableParallelism());
  try {
    const { unit } = createSeededRandom(`${load.seed}/nodes`);
    const components = { chain, pool, nodes: network.nodes, say, unit, wallMs: Date.now };
    return await use({ components, network });
  } finally {
    await pool.close();
  }
}

export async function readMetrics({ client }: TargetNetwork['nodes'][number]): Promise<string> {
  return (await fetch(`${client.url}/metrics`)).text();
}

function say(text: string): void {
  print(`  ${text}`);
}
