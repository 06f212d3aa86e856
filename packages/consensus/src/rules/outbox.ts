import { FRAME_CERTIFICATES_MAX, FRAME_VOTES_MAX } from '@slipstream/types';
import { type Context, emit, maySign, wakeAt } from '../context.ts';
import { SHARED_CHECK_WAIT_MS, SHARED_FRAME_WAIT_MS } from '../options.ts';

/**
 * Sends the decisions of one step in one frame, or in several when they exceed its limits: a node that caught up before it may sign owes
 * a Certify for each block. The confirmation goes with the newest certificate, on which it rests.
 */
export function flush(context: Context): void {
  const { outbox } = context;
  if (outbox.votes.length + outbox.certificates.length === 0 && !outbox.confirm) return;
  if (awaitsVote(context)) return;
  outbox.heldSinceMs = undefined;
  do {
    const votes = outbox.votes.splice(0, FRAME_VOTES_MAX);
    const certificates = outbox.certificates.splice(0, FRAME_CERTIFICATES_MAX);
    const confirm = outbox.certificates.length === 0 ? outbox.confirm : undefined;
    emit(context, { type: 'cast', signer: context.setting.self, votes, certificates, confirm });
    if (confirm) outbox.confirm = undefined;
  } while (outbox.votes.length + outbox.certificates.length > 0);
}

/**
 * Finalize and Certify of the last view wait shortly for the current view's Notarize when its proposal is due or being checked: one frame
 * and one log sync then cover both.
 */
function awaitsVote(context: Context): boolean {
  const { outbox, view, nowMs } = context;
  const { notarize, nullify } = context.own.at(view);
  if (notarize || nullify || outbox.confirm || !maySign(context, view)) return false;
  if (outbox.votes.length === 0 || outbox.votes.some(({ kind }) => kind === 'notarize' || kind === 'nullify'))
    return false;
  const checking = context.proposals.candidates(view).some(({ verified, asked, blockId }) => {
    const entry = context.tree.get(blockId);
    return entry !== undefined && ((asked && !verified) || entry.payload === 'unknown');
  });
  if (!checking && !context.arrivals.isDue) return false;
  outbox.heldSinceMs ??= nowMs;
  const dueMs = outbox.heldSinceMs + (checking ? SHARED_CHECK_WAIT_MS : SHARED_FRAME_WAIT_MS);
  if (nowMs >= dueMs) return false;
  wakeAt(context, dueMs);
  return true;
}
