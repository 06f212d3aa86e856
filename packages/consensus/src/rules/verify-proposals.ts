/** Checks of leader signatures. */
import { proposalMessage } from '@slipstream/types';
import { type Context, emit, epochOf } from '../context.ts';
import type { Candidate } from '../proposal-store.ts';
import type { Sender } from '../verifications.ts';

type ProposalCheck =
  | { readonly type: 'relayed-proposal'; readonly candidate: Candidate }
  | { readonly type: 'proposal'; readonly candidate: Candidate }
  | { readonly type: 'rival-proposal'; readonly first: Candidate; readonly second: Candidate };

export function verify(context: Context, from: Sender, candidates: readonly Candidate[], check: ProposalCheck): void {
  const token = context.verifications.begin(from, check);
  if (token === undefined) return;
  for (const candidate of candidates) candidate.asked = true;
  const epoch = epochOf(context);
  const votes = candidates.map(({ view, kind, blockId, signature }) => ({
    epoch,
    message: proposalMessage(context.setting.genesisHash, { epoch, view }, kind, blockId),
    signer: context.leaderOf(view),
    signature,
  }));
  emit(context, { type: 'verify', token, request: { type: 'votes', votes, priority: 'consensus' } });
}
