/**
 * Changes of the committee, one an epoch, each with an episode of faults:
 *
 *   keys --> actions, tried again until a record has the change --> sealed --> boundary --> all nodes in the epoch --> recovered
 *              \--faults while they are sent--/                      \--faults over the boundary--/
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterNode, eventually } from '@slipstream/devnet';
import type { SeededRandom } from '@slipstream/simulator';
import { type BoundaryReport, readBoundary } from '../devnet/boundary.ts';
import { type CommitteeChange, changeInTurn, type Governed } from './committee-changes.ts';

export interface ChangeReport {
  readonly number: number;
  readonly what: string;
  readonly epoch: number;
  readonly faults: string;
  readonly aim: Aim;
  /** Rounds of actions that failed. */
  readonly failures: readonly string[];
  readonly tookMs: number;
  /** From the end of the faults until all nodes were in the epoch and had new blocks. */
  readonly recoveredMs: number;
  readonly boundary: BoundaryReport | undefined;
  readonly finalTransactions: number;
}

type Aim = 'actions' | 'boundary';

export interface EpochRun {
  readonly governed: Governed;
  readonly random: SeededRandom;
  readonly signal: AbortSignal;
  finalTransactions(): number;
  playEpisode(): Promise<{ readonly what: string; readonly recoveredMs: number }>;
  say(text: string): void;
}

/** Share of the changes; the faults of others meet the actions. */
const AT_BOUNDARY = 0.7;
const RETRY_MS = 300;
/** For a change of the committee under faults; past it the run says what is missing. */
const CHANGE_MS_MAX = 300_000;
const BLOCKS_MS_MAX = 20_000;

/**
 * Ends with the first change that does not come, and returns why, or with the run, which is no failure of the change under way.
 * `done` is called after each change.
 */
export async function playChangesInTurn(
  run: EpochRun,
  count: number,
  done: (change: ChangeReport) => Promise<void>,
): Promise<string | undefined> {
  for (let number = 1; number <= count && !run.signal.aborted; number++) {
    let change: ChangeReport;
    try {
      change = await playChange(run, number);
    } catch (error) {
      const interrupted = run.signal.aborted && error === run.signal.reason;
      return interrupted ? undefined : `change ${number}: ${messageOf(error)}`;
    }
    await done(change);
  }
  return undefined;
}

/** Throws when the change does not come, or the signal's reason when the run ends first. */
export async function playChange(run: EpochRun, number: number): Promise<ChangeReport> {
  const { governed, random, say } = run;
  const { epochs } = governed;
  const draw = random.fork(`change ${number}`);
  const aim: Aim = draw.chance(AT_BOUNDARY) ? 'boundary' : 'actions';
  const change = changeInTurn(governed, number, draw);
  const epoch = epochs.newest().epoch + 1;
  const finalBefore = run.finalTransactions();
  const startMs = performance.now();
  say(`change ${number}: ${change.what}, in epoch ${epoch}; faults at the ${aim}`);
  await change.prepare();
  const acting = untilSealed(run, change);
  // Awaited after the episode; until then a rejection would count as unhandled, and end the process.
  acting.catch(() => {});
  if (aim === 'boundary') await acting;
  const episode = await run.playEpisode();
  const failures = await acting;
  // Its recovery was not waited for.
  run.signal.throwIfAborted();
  const healedMs = performance.now() - episode.recoveredMs;
  await untilAllIn(run, epoch);
  const recoveredMs = Math.round(performance.now() - healedMs);
  const boundary = await boundaryOf(governed, epoch);
  const lost =
    boundary === undefined ? '' : `, ${boundary.viewsLost} views lost, ${boundary.gapMs} ms between its blocks`;
  say(`      epoch ${epoch} on all nodes${lost}`);
  return {
    number,
    what: change.what,
    epoch,
    aim,
    failures,
    boundary,
    recoveredMs,
    faults: episode.what,
    tookMs: Math.round(performance.now() - startMs),
    finalTransactions: run.finalTransactions() - finalBefore,
  };
}

/** Returns what failed on the way. */
async function untilSealed({ governed, signal }: EpochRun, change: CommitteeChange): Promise<readonly string[]> {
  const { cluster, epochs } = governed;
  const failures: string[] = [];
  const deadline = performance.now() + CHANGE_MS_MAX;
  for (let turn = 0; !change.isIn(epochs.newest()); turn++) {
    signal.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`${change.what}: not sealed; ${failures.at(-1) ?? 'it waits'}`);
    const node = cluster.nodes[turn % cluster.nodes.length];
    await sleep(RETRY_MS);
    if (node?.process.running !== true || node.process.paused) continue;
    try {
      await change.attempt(node.client);
    } catch (error) {
      if (!change.isIn(epochs.newest())) failures.push(`${node.name}: ${messageOf(error)}`);
    }
  }
  return failures;
}

async function untilAllIn({ governed: { cluster, epochs }, signal }: EpochRun, epoch: number): Promise<void> {
  await eventually(`epoch ${epoch} on all nodes`, CHANGE_MS_MAX, async () => {
    const seen = epochs.seen();
    if (signal.aborted) return true;
    if (cluster.nodes.every(({ name }) => (seen.get(name) ?? 0) >= epoch)) return true;
    throw new Error(`epochs are ${JSON.stringify(Object.fromEntries(seen))}`);
  });
  signal.throwIfAborted();
}

/** Undefined: no node has the blocks. */
async function boundaryOf({ cluster }: Governed, epoch: number): Promise<BoundaryReport | undefined> {
  const read = async ({ client }: ClusterNode) => {
    const { current } = await client.epochs({ limit: 1 });
    if (current.epoch !== epoch) throw new Error(`it is in epoch ${current.epoch}`);
    return readBoundary(client, current.firstHeight);
  };
  const first = () => Promise.any(cluster.nodes.map(read));
  return eventually('blocks above the boundary', BLOCKS_MS_MAX, first).catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
