/**
 * What a boundary costs in real nodes: the time between its block and the first one of the next epoch, against blocks elsewhere.
 *
 * The child of the boundary waits until that is final, two delays longer than other children wait; where blocks are three delays apart or
 * more, that is no wait.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, createCluster, eventually, freePortRange, type NodeFolder } from '@slipstream/devnet';
import { type BoundaryReport, readBoundary, viewsElsewhere } from '../../devnet/boundary.ts';
import { act, decide, operatorOf, untilEpoch, validatorIdFrom } from '../../devnet/governing.ts';
import { type Claim, claim, median, printTable } from '../claim.ts';

const VALIDATORS = 4;
const BOUNDARIES = 12;
const BLOCKS_MS_MAX = 60_000;

interface Side {
  /** Ends the names of claims. */
  readonly key: string;
  readonly name: string;
  /** Least time between blocks, which an idle chain keeps to. */
  readonly intervalMs: number;
  /** Added to each link. */
  readonly delayMs: number;
}

const SIDES: readonly Side[] = [
  { key: '', name: 'blocks 100 ms apart', intervalMs: 100, delayMs: 0 },
  { key: '_short_intervals', name: 'blocks 25 ms apart, links of 20 ms', intervalMs: 25, delayMs: 20 },
];

export async function boundaryClaims(smoke: boolean): Promise<readonly Claim[]> {
  const measured = [];
  for (const side of smoke ? SIDES.slice(0, 1) : SIDES) measured.push(await measure(side, smoke ? 1 : BOUNDARIES));
  printTable(
    'Boundaries of a committee of 4 processes',
    ['chain', 'ms between blocks', 'ms at a boundary', 'views lost', 'boundaries'],
    measured.map(({ side, blockMs, boundaries }) => [
      side.name,
      blockMs,
      median(boundaries.map(({ gapMs }) => gapMs)),
      boundaries.reduce((sum, { viewsLost }) => sum + viewsLost, 0),
      boundaries.length,
    ]),
  );
  return measured.flatMap(({ side, blockMs, boundaries }) => {
    const extra = median(boundaries.map(({ gapMs }) => gapMs)) - blockMs;
    return [
      claim(`extra_delay_ms${side.key}`, Math.max(0, extra), 'ms', boundaries.length),
      claim(`block_ms${side.key}`, blockMs, 'ms', boundaries.length),
    ];
  });
}

async function measure(side: Side, count: number) {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-epochs-'));
  const basePort = await freePortRange(2 * VALIDATORS);
  const interval = String(side.intervalMs);
  const cluster = await createCluster({
    folder,
    validators: VALIDATORS,
    fullNodes: 0,
    basePort,
    apiPort: basePort + VALIDATORS,
    flags: ['--consensus-min-block-interval-ms', interval, '--consensus-idle-block-interval-ms', interval],
    flagsOf: (node, all) => (side.delayMs === 0 ? [] : ['--network-delays', delaysOf(node, all, side.delayMs)]),
  });
  try {
    await cluster.start();
    const { client } = cluster.node('validator-0');
    const fromHeight = (await client.status()).height + 1;
    const boundaries = await playBoundaries(cluster, count);
    const { blockMs } = await viewsElsewhere(client, fromHeight, boundaries);
    return { side, blockMs, boundaries };
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function delaysOf({ peerKey }: NodeFolder, all: readonly NodeFolder[], delayMs: number): string {
  return all.flatMap((other) => (other.peerKey === peerKey ? [] : [`${other.peerKey}=${delayMs}+0`])).join(',');
}

/** A weight goes up and down, by the word of one administrator after the first epoch. */
async function playBoundaries(cluster: Cluster, count: number): Promise<readonly BoundaryReport[]> {
  const { client } = cluster.node('validator-0');
  const operators = await Promise.all(cluster.nodes.slice(1).map(operatorOf));
  const [administrator] = operators;
  if (administrator === undefined) throw new Error('a committee has members');
  const validatorId = await validatorIdFrom(client, 0);
  const governance = { administrators: [administrator.account], approvals: 1 };
  const weightIn = (epoch: number) => ({ kind: 'setWeight', validatorId, weight: 1 + (epoch % 2) }) as const;
  const reports: BoundaryReport[] = [];
  for (let epoch = 1; epoch <= count; epoch++) {
    if (epoch === 1) await decide(client, operators, { kind: 'setGovernance', governance }, weightIn(epoch));
    else await act(client, administrator, { kind: 'propose', changes: [weightIn(epoch)], notBeforeMs: 0 });
    await untilEpoch(cluster, epoch);
    const { firstHeight } = (await client.epochs({ limit: 1 })).current;
    reports.push(await eventually(`blocks of epoch ${epoch}`, BLOCKS_MS_MAX, () => readBoundary(client, firstHeight)));
  }
  return reports;
}
