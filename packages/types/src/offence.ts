/** Block reasons, and evidence that any holder of the committee can verify. */
import type { SignedChunkHeader } from './chunk.ts';
import type { Proposal } from './proposal.ts';
import type { Vote } from './vote.ts';

export const BLOCK_REASONS = [
  'invalid-signature',
  'conflicting-votes',
  'equivocation',
  'wrong-signer',
  'malformed-frame',
  'oversize',
  'invalid-certificate',
  'invalid-chunk',
  'bad-sync',
] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** Two signed messages that no honest validator signs both of. */
export type Evidence =
  | { readonly type: 'votes'; readonly offender: number; readonly first: Vote; readonly second: Vote }
  | { readonly type: 'proposals'; readonly offender: number; readonly first: Proposal; readonly second: Proposal }
  /** Of one producer and sequence. */
  | {
      readonly type: 'chunks';
      readonly offender: number;
      readonly first: SignedChunkHeader;
      readonly second: SignedChunkHeader;
    };
