/**
 * Episodes of faults on a network of real processes under load:
 *
 *   network + load + listener --> episode --> hold --> heal --> recovered in time? --> ... --> end checks --> report
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChainAudit, type ClusterLoad, lostText, startClusterLoad } from '@slipstream/app-loadgen';
import { type Cluster, type ClusterNode, type NodeFolder, watchCluster } from '@slipstream/devnet';
import { createClock } from '@slipstream/platform';
import { createRandom } from '@slipstream/simulator';
import { governedCluster } from './committee-changes.ts';
import { type EpochWatch, watchEpochs } from './epoch-watch.ts';
import { type ChangeReport, playChangesInTurn } from './epochs.ts';
import { FAULT_KINDS } from './faults.ts';
import { checkStandingChain, type FinalChecks } from './final-checks.ts';
import { startListener } from './listener.ts';
import { readSigned } from './log-reader.ts';
import { type ChaosNetwork, keyFlags, openNetwork } from './network.ts';
import { createProgress, describeFaults, type Progress } from './progress.ts';
import { untilRecovered } from './recovery.ts';
import type { ChaosReport, EpisodeReport } from './report.ts';
import { type Episode, episodesOf } from './schedule.ts';
import { createStatementRecord, type StatementRecord } from './signed-statements.ts';

export interface ChaosOptions {
  readonly folder: string;
  readonly seed: number;
  readonly minutes: number;
  /** Changes of the committee, instead of minutes; an episode for each. */
  readonly epochs?: number;
  readonly validators: number;
  readonly fullNodes: number;
  readonly transactionsPerSecond: number;
  readonly kinds: readonly string[];
  /** The command that repeats the schedule. */
  readonly repeat: string;
  readonly signal: AbortSignal;
  say(text: string): void;
}

const RECOVERY_MS_MAX = 20_000;
/** Share of the statements; above it the logs were not checked enough (I3). */
const UNREAD_SHARE_MAX = 0.02;
/** After a later recovery the run would prove nothing. */
const RECOVERY_MS_WAITED = 60_000;
const LOGS_READ_MS = 3_000;

interface Run {
  readonly options: ChaosOptions;
  readonly network: ChaosNetwork;
  readonly load: ClusterLoad;
  readonly progress: Progress;
  readonly signed: StatementRecord;
  readonly epochs: EpochWatch;
  readonly violations: string[];
}

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { folder, validators, fullNodes, kinds, say } = options;
  const violations: string[] = [];
  const network = await openNetwork({
    folder,
    validators,
    fullNodes,
    smallDisk: kinds.includes('disk-full'),
    candidates: options.epochs !== undefined,
    onUnexpectedDeath: (name, cause) => {
      say(`  ${name} died by itself: ${cause}`);
      violations.push(`${name} died by itself: ${cause}`);
    },
  });
  try {
    say(`Starting ${network.cluster.nodes.length} nodes in ${folder} ...`);
    await network.cluster.start();
    return await faultEpisodes(options, network, violations);
  } finally {
    await network.stop();
    network.smallDisk?.unmount();
  }
}

async function faultEpisodes(options: ChaosOptions, network: ChaosNetwork, violations: string[]): Promise<ChaosReport> {
  const { kinds, say } = options;
  const clock = createClock();
  const progress = createProgress(clock.monotonicMs);
  const epochs = await watchEpochs(network.cluster);
  network.follow(epochs);
  const signed = createStatementRecord((epoch, index) => epochs.memberOf(epoch, index) ?? `member ${index}`);
  const genesisHash = await firstNode(network.cluster).client.genesisHash();
  const listener = await startListener({ genesisHash, clock, epochs }, signed, progress.final);
  const watch = watchCluster(network.cluster);
  const load = await startClusterLoad(network.cluster, {
    transactionsPerSecond: options.transactionsPerSecond,
    keepFates: options.epochs !== undefined,
  });
  const run: Run = { options, network, load, progress, signed, epochs, violations };
  const stall = monitorEventLoopDelay({ resolution: 20 });
  stall.enable();
  const skipped = unavailableKinds(network, kinds);
  for (const [kind, why] of Object.entries(skipped)) say(`${kind} is skipped: ${why}`);
  const startMs = performance.now();
  const playable = kinds.filter((kind) => skipped[kind] === undefined);
  const changes: ChangeReport[] = [];
  const episodes =
    options.epochs === undefined ? await playEpisodes(run, playable) : await playChanges(run, playable, changes);
  const interrupted = options.signal.aborted;
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const longestGap = progress.longestGap();
  stall.disable();
  await load.finish();
  const audit = options.epochs === undefined ? undefined : await auditOf(run);
  watch.stop();
  await listener.stop();
  await epochs.stop();
  await network.stop();
  await readLogs(run);
  const flagsOf = ({ validator }: NodeFolder) => (options.epochs === undefined ? [] : keyFlags(validator));
  const final = await checkStandingChain(options.folder, load.sent.finalIds(), say, flagsOf);
  await readLogs(run);
  if (listener.malformed > 0) violations.push(`${listener.malformed} frames on the wire could not be decoded`);
  checkTransactions(run);
  checkSigned(run);
  const harnessStallMs = Math.round(stall.max / 1e6);
  return reportOf(run, final, { interrupted, seconds, skipped, episodes, changes, audit, longestGap, harnessStallMs });
}

function firstNode({ nodes }: Pick<Cluster, 'nodes'>): ClusterNode {
  const [first] = nodes;
  if (first === undefined) throw new Error('a network has a node');
  return first;
}

function checkTransactions({ load, violations }: Run): void {
  const { lost, pending } = load.sent.counts();
  if (lost > 0) {
    const first = load.sent.lost().map(lostText).join('; ');
    violations.push(`${lost} accepted transactions were lost: ${first}`);
  }
  if (pending > 0) violations.push(`${pending} accepted transactions never came to an end`);
}

function checkSigned({ signed, violations }: Run): void {
  for (const { signer, rule, slot } of signed.doubleSignings) {
    violations.push(`${signer} signed twice: ${slot} (${rule})`);
  }
  for (const late of signed.lateVotes) violations.push(`signed in an epoch that it had left (E3): ${late}`);
  const unlogged = signed.unlogged();
  if (unlogged.length > 0) violations.push(`sent and not in the log (I3): ${unlogged.slice(0, 5).join(', ')}`);
  const { unread, statements } = signed;
  if (unread > UNREAD_SHARE_MAX * statements) {
    violations.push(`${unread} of ${statements} statements were cut off their logs before they were read`);
  }
}

type Measured = Pick<
  ChaosReport,
  'interrupted' | 'seconds' | 'skipped' | 'episodes' | 'changes' | 'audit' | 'longestGap' | 'harnessStallMs'
>;

async function reportOf(
  { options, network, load, signed, violations }: Run,
  final: FinalChecks,
  measured: Measured,
): Promise<ChaosReport> {
  const { seed, repeat, validators, fullNodes, kinds } = options;
  const injected = measured.episodes.flatMap((episode) => episode.kinds);
  return {
    seed,
    repeat,
    validators,
    fullNodes,
    ...measured,
    transactions: load.sent.counts(),
    faults: Object.fromEntries(kinds.map((kind) => [kind, injected.filter((each) => each === kind).length])),
    recovery: recoveryOf(measured.episodes),
    refusals: Object.fromEntries(load.refusals),
    finalLost: final.finalLost,
    signedStatements: signed.statements,
    doubleSignings: signed.doubleSignings,
    unlogged: signed.unlogged().length,
    unread: signed.unread,
    height: final.height,
    stateBytes: final.stateBytes,
    errorsLogged: await errorsLogged(network),
    violations: [...violations, ...final.violations],
  };
}

function unavailableKinds(network: ChaosNetwork, kinds: readonly string[]): Readonly<Record<string, string>> {
  const chosen = FAULT_KINDS.filter(({ kind }) => kinds.includes(kind));
  return Object.fromEntries(
    chosen.flatMap(({ kind, unavailable }) => {
      const why = unavailable?.(network);
      return why === undefined ? [] : [[kind, kind === 'disk-full' ? (network.noSmallDisk ?? why) : why]];
    }),
  );
}

async function playEpisodes(run: Run, kinds: readonly string[]): Promise<readonly EpisodeReport[]> {
  const { options, network } = run;
  const reports: EpisodeReport[] = [];
  const endMs = performance.now() + options.minutes * 60_000;
  await recover(run, 'start');
  for (const episode of episodesOf(options.seed, kinds, network)) {
    if (performance.now() >= endMs || options.signal.aborted) break;
    const report = await playEpisode(run, episode);
    if (options.signal.aborted) break;
    reports.push(report);
    if (report.recoveredMs >= RECOVERY_MS_WAITED) break;
    await readLogs(run);
    await pause(episode.quietMs, options.signal);
  }
  return reports;
}

/** Ends with the first change that does not come. */
async function playChanges(run: Run, kinds: readonly string[], changes: ChangeReport[]): Promise<EpisodeReport[]> {
  const { options, network, epochs, load, violations } = run;
  const { signal, say, seed } = options;
  const reports: EpisodeReport[] = [];
  const episodes = episodesOf(seed, kinds, network);
  const governed = await governedCluster(network.cluster, epochs);
  const random = createRandom(`chaos/${seed}/changes`);
  async function playNext(): Promise<EpisodeReport> {
    const report = await playEpisode(run, episodes.next().value as Episode);
    if (!signal.aborted) reports.push(report);
    return report;
  }
  await recover(run, 'start');
  const over = new AbortController();
  const logsAreRead = readLogsUntil(run, over.signal);
  const finalTransactions = () => load.sent.counts().final;
  const epochRun = { governed, random, signal, finalTransactions, playEpisode: playNext, say };
  const failed = await playChangesInTurn(epochRun, options.epochs ?? 0, async (change) => {
    changes.push(change);
    await readLogs(run);
  });
  if (failed !== undefined) violations.push(failed);
  over.abort();
  await logsAreRead;
  return reports;
}

/** Nodes cut what is delivered off their logs while a change is waited for. */
async function readLogsUntil(run: Run, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) {
      await pause(LOGS_READ_MS, signal);
      await readLogs(run);
    }
  } catch (error) {
    run.violations.push(`logs are no longer read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function auditOf({ load, violations }: Run): Promise<ChainAudit | undefined> {
  try {
    const audit = await load.audit();
    for (const [fault, ids] of Object.entries(audit.faults)) {
      if (ids.length > 0) violations.push(`${ids.length} transactions ${fault}: ${ids.slice(0, 5).join(', ')}`);
    }
    return audit;
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

async function playEpisode(run: Run, { number, faults, holdMs }: Episode): Promise<EpisodeReport> {
  const { network, options, progress, violations } = run;
  const what = describeFaults(faults);
  options.say(`${String(number).padStart(4)}  ${what}, for ${(holdMs / 1000).toFixed(1)} s`);
  const startMs = performance.now();
  const ended = progress.begin(what);
  const heals: (() => Promise<void> | void)[] = [];
  for (const fault of faults) {
    const kind = FAULT_KINDS.find((known) => known.kind === fault.kind);
    const heal = await kind?.inject(network, fault);
    if (heal) heals.push(heal);
  }
  await pause(holdMs, options.signal);
  // A node cuts its log at its start.
  await readLogs(run);
  network.fabric.heal();
  for (const heal of heals) {
    try {
      await heal();
    } catch (error) {
      violations.push(`episode ${number} (${what}): ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  ended();
  const heldMs = Math.round(performance.now() - startMs);
  const recoveredMs = await recover(run, `episode ${number} (${what})`);
  options.say(`      recovered ${(recoveredMs / 1000).toFixed(1)} s after healing`);
  return { number, what, kinds: faults.map(({ kind }) => kind), heldMs, recoveredMs };
}

async function recover({ network, load, progress, options, violations }: Run, after: string): Promise<number> {
  const ended = progress.begin(`recovery after ${after}`);
  const { tookMs, missing } = await untilRecovered({
    cluster: network.cluster,
    finalTransactions: () => load.sent.counts().final,
    timeoutMs: RECOVERY_MS_WAITED,
    signal: options.signal,
  });
  ended();
  if (tookMs > RECOVERY_MS_MAX && !options.signal.aborted) {
    const still = missing.length === 0 ? '' : `; even then: ${missing.join(', ')}`;
    violations.push(
      `${after}: not back within ${RECOVERY_MS_MAX / 1000} s but ${(tookMs / 1000).toFixed(1)} s${still}`,
    );
  }
  return tookMs;
}

async function readLogs({ network, signed }: Run): Promise<void> {
  for (const node of network.cluster.nodes) await readSigned(node, signed);
}

function recoveryOf(episodes: readonly EpisodeReport[]): ChaosReport['recovery'] {
  const sorted = episodes.toSorted((a, b) => a.recoveredMs - b.recoveredMs);
  const slowest = sorted.at(-1);
  if (slowest === undefined) return null;
  const median = sorted[Math.floor(sorted.length / 2)] ?? slowest;
  return { p50Ms: median.recoveredMs, maxMs: slowest.recoveredMs, slowest: slowest.what };
}

async function errorsLogged({ cluster }: ChaosNetwork): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { process } of cluster.nodes) {
    for (const line of await process.errors()) {
      const text = line.startsWith('{') ? messageOf(line) : line;
      counts[text] = (counts[text] ?? 0) + 1;
    }
  }
  return counts;
}

function messageOf(line: string): string {
  try {
    const { node, msg, reason } = JSON.parse(line) as Readonly<Record<string, unknown>>;
    return `${String(node)}: ${String(msg)}${reason === undefined ? '' : ` (${String(reason)})`}`;
  } catch {
    return line;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
