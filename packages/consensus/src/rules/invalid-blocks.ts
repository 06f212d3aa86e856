/**
 * Blocks that are invalid, by their payload or since they do not follow their parent: who signed such a block is blocked.
 *
 * The verdict rests on the block and its ancestors alone, so no honest leader proposes one. But bodies come from anybody, and name
 * any proposer: the leader is blamed only once its signature under this very block was checked. That may have happened before the
 * verdict, or be under way, or never have been needed: then it is asked for now.
 *
 *   verdict --> signature of the leader checked? --yes---------------> block the leader
 *                          \--here, unchecked--> verify --> blameFor --^
 */
import { bytesEqual } from '@slipstream/primitives';
import { type BlockId, hexOf } from '@slipstream/types';
import type { PayloadVerdict } from '../application.ts';
import type { BlockEntry, BlockFault } from '../block-tree.ts';
import { blockMember, type Context, peerOf } from '../context.ts';
import type { Candidate } from '../proposal-store.ts';
import { verify } from './verify-proposals.ts';

export function onPayloadChecked(context: Context, blockId: BlockId, verdict: PayloadVerdict): void {
  const entry = context.tree.get(blockId);
  if (!entry) return;
  if (verdict.type === 'valid') entry.payload = 'valid';
  else condemn(context, entry, verdict);
}

/** What comes of it is never voted for, and its leader is blamed if it is known to have signed it. */
export function condemn(context: Context, entry: BlockEntry, fault: BlockFault): void {
  entry.payload = 'invalid';
  entry.fault = fault;
  const { view } = entry.block;
  const signed = context.proposals.candidates(view).filter(({ blockId }) => bytesEqual(blockId, entry.id));
  const checked = signed.find(({ verified }) => verified);
  if (checked) return blameFor(context, checked);
  const unchecked = signed.find(({ asked }) => !asked);
  if (unchecked)
    verify(context, peerOf(context, context.leaderOf(view)), [unchecked], { type: 'proposal', candidate: unchecked });
}

/** The leader's signature under this proposal was checked. */
export function blameFor(context: Context, { view, blockId }: Candidate): void {
  const fault = context.tree.get(blockId)?.fault;
  const notarized = context.certificates.notarized(view);
  // A quorum called it valid: then what is wrong is here.
  if (!fault || (notarized && bytesEqual(notarized.blockId, blockId))) return;
  const detail = `signed block ${hexOf(blockId)} of view ${view}: ${fault.reason}`;
  blockMember(context, context.leaderOf(view), fault.offence, detail);
}
