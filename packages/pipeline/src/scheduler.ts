/**
 * The scheduler: starts each stage of each block as soon as its row of the stage table is met.
 *
 * It starts nothing of a block that was reset (entry.run) or after a halt, and ignores the end of a stage whose block was reset
 * meanwhile.
 */
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';
import type { Lane } from './lane.ts';
import { type Resource, STAGES, type Stage, type StageTable } from './stages.ts';

/** Stages that run here; consensus ends the others. */
export type WorkStage = Exclude<Stage, 'order' | 'certify'>;

type LaneResource = Exclude<Resource, 'chunks' | 'consensus'>;

interface SchedulerComponents {
  readonly table: StageTable;
  readonly graph: BlockGraph;
  readonly lanes: { readonly [R in LaneResource]: Lane };
  readonly work: Readonly<Record<WorkStage, (entry: BlockEntry) => Promise<void>>>;
  /** Checked last, when nothing else prevents the stage. */
  readonly mayStart: (entry: BlockEntry, stage: Stage) => boolean;
  readonly onTip: (entry: BlockEntry) => boolean;
  /** Checked when a stage is queued, and when it runs. */
  readonly mayRun: (stage: WorkStage) => boolean;
  readonly onStarted: (entry: BlockEntry, stage: Stage) => void;
  readonly onDone: (entry: BlockEntry, stage: Stage) => void;
  readonly onFailed: (entry: BlockEntry, stage: Stage, error: unknown) => void;
}

export interface Scheduler {
  advance(entry: BlockEntry): void;
  /** Starts the stages that waited for this one. */
  complete(entry: BlockEntry, stage: Stage): void;
}

/** Reverts run before appends, because they free space. */
export const REVERT_URGENCY = 1;
const URGENCY: Partial<Record<Stage, number>> = { optCommit: 2 };

export function createScheduler(components: SchedulerComponents): Scheduler {
  const { table, graph, lanes, work, mayStart, onTip, mayRun, onStarted, onDone, onFailed } = components;

  function parentDone(entry: BlockEntry, stage: Stage): boolean {
    const parent = graph.parentOf(entry);
    // The missing parent of a final block completed all stages.
    return parent ? parent.done.has(stage) : onTip(entry) || entry.done.has('order');
  }

  function ready(entry: BlockEntry, stage: Stage): boolean {
    const { after, afterParent } = table[stage];
    if (entry.parked || entry.failure !== undefined) return false;
    if (!after.every((earlier) => entry.done.has(earlier))) return false;
    if (afterParent && !parentDone(entry, stage)) return false;
    return mayStart(entry, stage);
  }

  function start(entry: BlockEntry, stage: WorkStage): void {
    const { run } = entry;
    entry.started.add(stage);
    onStarted(entry, stage);
    const piece = async (): Promise<void> => {
      if (entry.run !== run || !mayRun(stage)) return;
      entry.clock.start(stage);
      try {
        await work[stage](entry);
      } catch (error) {
        if (entry.run === run) onFailed(entry, stage, error);
        return;
      }
      if (entry.run === run) complete(entry, stage);
    };
    const { resource } = table[stage];
    if (resource === 'chunks' || resource === 'consensus') void piece();
    else lanes[resource].push(URGENCY[stage] ?? 0, piece);
  }

  function advance(entry: BlockEntry): void {
    for (const stage of STAGES) {
      if (stage === 'order' || stage === 'certify') continue;
      if (!mayRun(stage) || entry.started.has(stage)) continue;
      if (ready(entry, stage)) start(entry, stage);
    }
  }

  function complete(entry: BlockEntry, stage: Stage): void {
    if (entry.done.has(stage)) return;
    entry.done.add(stage);
    entry.clock.end(stage);
    onDone(entry, stage);
    advance(entry);
    for (const child of graph.childrenOf(entry.id)) advance(child);
  }

  return { advance, complete };
}
