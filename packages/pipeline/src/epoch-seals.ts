/**
 * Epochs: the seal of each is reported once, and its last block commits together with its end.
 *
 *   sealing block digested --certified, or named by the final boundary--> seal
 *   committed state is sealed, at start --------------------------------> seal
 *   moved(end) --> the boundary may commit
 *
 * Rivals may seal differing records at differing heights, so execution alone reports nothing. Own execution that differs from the named
 * record reports nothing either: the certificate of its digest will halt the pipeline (P4).
 */
import type { EpochSeal } from '@slipstream/execution';
import { bytesEqual, to0x } from '@slipstream/primitives';
import { type EpochEnd, hexOf } from '@slipstream/types';
import type { BlockEntry } from './block-entry.ts';
import type { BlockGraph } from './block-graph.ts';
import { PipelineError } from './errors.ts';
import type { Progress } from './progress.ts';

export interface EpochSeals {
  /** Reports what the committed state has sealed. */
  start(): void;
  /** The block was digested or certified. */
  changed(entry: BlockEntry): void;
  /** Ignored for a committed boundary. Throws PipelineError `order-gap` before the boundary is ordered. */
  moved(end: EpochEnd): void;
}

interface EpochSealsComponents {
  readonly progress: Progress;
  readonly graph: BlockGraph;
  readonly advance: (entry: BlockEntry) => void;
  readonly onSealed: (seal: EpochSeal) => void;
}

export function createEpochSeals(components: EpochSealsComponents, found: EpochSeal | undefined): EpochSeals {
  const { progress, graph, advance, onSealed } = components;
  let reportedEpoch = 0;
  let newest: EpochEnd | undefined;

  function report(seal: EpochSeal): void {
    if (seal.record.epoch <= reportedEpoch) return;
    reportedEpoch = seal.record.epoch;
    onSealed(seal);
  }

  function isNamed({ block, preimage, done }: BlockEntry): boolean {
    const end = newest?.block;
    if (preimage === undefined || end?.next === undefined || !done.has('order')) return false;
    return block.epoch === end.epoch && bytesEqual(preimage.next, end.next);
  }

  function changed(entry: BlockEntry): void {
    const { executed, preimage, done, block } = entry;
    if (executed?.sealed === undefined || preimage === undefined || !done.has('digest')) return;
    if (!done.has('certify') && !isNamed(entry)) return;
    report({ recordHash: preimage.next, height: block.height, record: executed.sealed });
  }

  function moved(end: EpochEnd): void {
    const { blockId, block } = end;
    if (block.height <= progress.tip.height) return;
    const boundary = graph.get(hexOf(blockId));
    if (boundary === undefined || block.height > progress.ordered.height) {
      const data = { height: block.height, orderedHeight: progress.ordered.height, blockId: to0x(blockId) };
      throw new PipelineError('order-gap', `block ${data.blockId} ends an epoch and is not final yet`, data);
    }
    boundary.end = end;
    newest = end;
    for (const entry of graph.lineage(boundary)) changed(entry);
    advance(boundary);
  }

  return {
    start() {
      if (found !== undefined) report(found);
    },
    changed,
    moved,
  };
}
