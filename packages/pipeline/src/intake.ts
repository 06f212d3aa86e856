/** Input from consensus, in any order, except that blocks become final in order of height. */
import { bytesEqual, to0x } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type BlockId,
  type Finalization,
  hexOf,
  type StateCertificate,
  type StateDigest,
} from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';
import type { Certification } from './certification.ts';
import type { CommittedBlocks } from './committed-blocks.ts';
import type { OrderedBlock } from './components.ts';
import { PipelineError } from './errors.ts';
import type { ForkHandling } from './fork-handling.ts';
import type { Progress } from './progress.ts';
import type { RecordedBlock } from './reconcile.ts';
import type { Scheduler } from './scheduler.ts';

export interface Intake {
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  certified(certificate: StateCertificate): void;
  notarized(blockId: BlockId): void;
  /** The block is final and certified, according to the ledger. */
  recorded(block: RecordedBlock): void;
}

interface IntakeComponents {
  readonly progress: Progress;
  readonly graph: BlockGraph;
  readonly scheduler: Scheduler;
  readonly forks: ForkHandling;
  readonly certification: Certification;
  readonly committed: CommittedBlocks;
  readonly newEntry: (blockId: BlockId, block: Block, recorded: boolean) => BlockEntry;
  readonly onOrdered: (ordered: OrderedBlock) => void;
  readonly onImpossible: (entry: BlockEntry) => void;
}

export function createIntake(components: IntakeComponents): Intake {
  const { progress, graph, scheduler, forks, certification, committed, newEntry, onOrdered, onImpossible } = components;
  const running = (): boolean => progress.state === 'running';

  function add(blockId: BlockId, block: Block, recorded = false): BlockEntry {
    const entry = newEntry(blockId, block, recorded);
    entry.failure = graph.get(entry.parent)?.failure;
    graph.add(entry);
    return entry;
  }

  /** Starts what the event allows: the block, its parked ancestors, blocks whose claim it strengthens. */
  function pursue(entry: BlockEntry): void {
    forks.unpark(entry);
    scheduler.advance(entry);
    certification.added(entry);
    forks.reconsider();
  }

  function execute(blockId: BlockId, block: Block): Promise<StateDigest> {
    const known = graph.get(hexOf(blockId));
    if (known === undefined && block.height <= progress.tip.height) return committed.digestOf(blockId, block.height);
    const lost = known === undefined && block.height <= progress.ordered.height;
    if (lost || !running()) return new Promise(() => {});
    const entry = known ?? add(blockId, block);
    entry.clock.mark('proposedMs');
    pursue(entry);
    return entry.waiter.promise;
  }

  function finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void {
    if (!running() || block.height <= progress.ordered.height) return;
    assertNext(progress, blockId, block);
    const entry = graph.get(hexOf(blockId)) ?? add(blockId, block);
    progress.ordered = { id: entry.id, height: block.height };
    if (entry.failure !== undefined) return onImpossible(entry);
    const { subject } = certificate;
    const own = bytesEqual(subject.blockId, blockId);
    if (own && subject.kind === 'finalize') entry.finalization = certificate as Finalization;
    dropRivals(entry);
    scheduler.complete(entry, 'order');
    pursue(entry);
    onOrdered({ blockId, block });
    if (subject.kind === 'certify') certified(certificate as StateCertificate);
  }

  /** Drops blocks that can no longer become final: all others up to a final height, and all other children of its parent. */
  function dropRivals({ id, parent, block }: BlockEntry): void {
    for (const rival of [...graph.all()]) {
      if (rival.id === id || rival.done.has('order')) continue;
      const loses = rival.block.height <= block.height || rival.parent === parent;
      if (loses && graph.get(rival.id) === rival) forks.drop(rival);
    }
  }

  function certified(certificate: StateCertificate): void {
    if (!running()) return;
    if (certificate.subject.height > progress.tip.height) certification.certified(certificate);
    else committed.check(certificate);
  }

  function notarized(blockId: BlockId): void {
    const entry = graph.get(hexOf(blockId));
    if (entry === undefined || entry.notarized) return;
    entry.notarized = true;
    entry.clock.mark('notarizedMs');
    pursue(entry);
  }

  function recorded({ blockId, block, digest, certificate, finalization }: RecordedBlock): void {
    const entry = add(blockId, block, true);
    entry.digest = digest;
    entry.certifiedBy = certificate;
    entry.finalization = finalization;
    scheduler.complete(entry, 'order');
    scheduler.complete(entry, 'certify');
  }

  return { execute, finalized, certified, notarized, recorded };
}

function assertNext({ ordered }: Progress, blockId: BlockId, block: Block): void {
  if (block.height === ordered.height + 1 && hexOf(asId<BlockId>(block.parentId)) === ordered.id) return;
  const data = { height: block.height, orderedHeight: ordered.height, blockId: to0x(blockId) };
  throw new PipelineError('order-gap', `final block ${data.blockId} does not follow height ${ordered.height}`, data);
}
