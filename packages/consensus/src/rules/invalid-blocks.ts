/**
 * Invalid blocks, by payload or relation to their parent: a leader that signed one is blocked.
 *
 * The verdict depends only on the block and its ancestors, so no honest leader proposes such a block. Any peer can send a body that names
 * any proposer, so blame needs a check of the leader's signature, which is requested if none was made yet.
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

/** Descendants never get a vote. The leader is blamed if its signature was checked. */
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

/** The proposal's signature is verified. */
export function blameFor(context: Context, { view, blockId }: Candidate): void {
  const fault = context.tree.get(blockId)?.fault;
  const notarized = context.certificates.notarized(view);
  // A quorum found the block valid, so the fault is in this node.
  if (!fault || (notarized && bytesEqual(notarized.blockId, blockId))) return;
  const detail = `signed block ${hexOf(blockId)} of view ${view}: ${fault.reason}`;
  blockMember(context, context.leaderOf(view), fault.offence, detail);
}
