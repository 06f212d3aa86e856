/**
 * Rule 10: how an epoch closes.
 *
 *   seal certified at height S --> from S + 8 on a leader's block names the next record: the boundary --> above it only fillers
 *     --> the boundary is final, by its certificate or a filler's: this core signs nothing more but Certify up to it
 *
 * SAFETY. The boundary is the first block of its chain that names a record, and final blocks are one chain, so it is unique in its epoch.
 *
 * LIVENESS. Fillers are needed because the boundary may be notarized and its view never finalized.
 */
import { bytesEqual } from '@slipstream/primitives';
import { view as asView, type Block, type ProposalKind, type RecordHash, type Subject } from '@slipstream/types';
import type { BlockEntry } from '../block-tree.ts';
import { type Context, emit, report, wantCertificates } from '../context.ts';
import { flush } from './outbox.ts';

/** The next members connect meanwhile. */
const CLOSES_AFTER_HEIGHTS = 8;

/** The parent closes the block's own epoch, so only a filler may follow. The root of an epoch belongs to the epoch before. */
export function isFiller({ epoch }: Pick<Block, 'epoch'>, parent: Block): boolean {
  return parent.next !== undefined && parent.epoch === epoch;
}

/** What a proposal on this parent names. */
export function nextOf({ seal, setting }: Context, parent: Block): RecordHash | undefined {
  if (isFiller(setting.committee, parent)) return parent.next;
  return seal !== undefined && parent.height + 1 >= seal.height + CLOSES_AFTER_HEIGHTS ? seal.recordHash : undefined;
}

/** `wait`: the seal is not known here. A string says what is wrong with the block. */
type ClosingVerdict = 'sound' | 'wait' | { readonly fault: string };

/** `kind`: undefined for a block whose proposal is unknown. */
export function judgeClosing(
  { seal }: Context,
  block: Block,
  parent: Block,
  kind: ProposalKind | undefined,
): ClosingVerdict {
  if (isFiller(block, parent)) {
    const goesOn = block.next !== undefined && bytesEqual(block.next, parent.next as RecordHash);
    if (!goesOn) return { fault: 'its parent closes the epoch, and it names another record or none' };
    if (block.payload.length > 0) return { fault: 'it carries a payload above the boundary' };
    return kind === 'optimistic' ? { fault: 'it is an optimistic child of a block that closes the epoch' } : 'sound';
  }
  if (block.next === undefined) return 'sound';
  if (seal === undefined) return 'wait';
  if (!bytesEqual(block.next, seal.recordHash)) return { fault: 'it closes the epoch with another record' };
  const lowest = seal.height + CLOSES_AFTER_HEIGHTS;
  return block.height < lowest ? { fault: `it closes the epoch below height ${lowest}` } : 'sound';
}

/** State certificates that the seal may follow from. */
export function wantSeal(context: Context, block: Block): void {
  const from = asView(context.lastState.view + 1);
  if (from <= block.parentView) wantCertificates(context, from, block.parentView);
}

/** The boundary is delivered. `fillers` are those up to the one that `certificate` is of. */
export function close(
  context: Context,
  boundary: BlockEntry,
  fillers: readonly BlockEntry[],
  certificate: NonNullable<Context['lastFinal']['certificate']>,
): void {
  context.closed = boundary;
  // A range may have delivered the boundary before its view was entered.
  context.view = asView(Math.max(context.view, context.lastFinal.view + 1));
  context.building = undefined;
  flush(context); // decided before the move
  const { id: blockId, block } = boundary;
  emit(context, { type: 'moved', blockId, block, fillers: fillers.map((filler) => filler.block), certificate });
  report(context, 'epoch.closed', { epoch: block.epoch, view: block.view, height: block.height });
}

/** What a closed core still takes: Certify up to the boundary. */
export function isOfInterest({ closed }: Context, subject: Subject): boolean {
  return closed === undefined || (subject.kind === 'certify' && subject.height <= closed.block.height);
}
