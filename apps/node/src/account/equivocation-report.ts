/** Evidence of this node as the action that reports it: what the key signed, without bodies of blocks. */

import { unreachable } from '@slipstream/primitives';
import {
  blockIdOf,
  chunkHeaderCodec,
  compressSignature,
  type Epoch,
  type Evidence,
  type Proposal,
  proposalStatementCodec,
  type ReportEquivocation,
  type SignedChunkHeader,
  type SignedStatement,
  subjectCodec,
  type Vote,
} from '@slipstream/types';

/** In whose committee the offender has its index. */
export function epochOfEvidence({ type, first }: Evidence): Epoch {
  switch (type) {
    case 'votes':
      return first.subject.epoch;
    case 'proposals':
      return first.block.epoch;
    case 'chunks':
      return first.header.epoch;
    default:
      return unreachable(type, 'evidence');
  }
}

export function reportOf(evidence: Evidence, blsPublicKey: Uint8Array): ReportEquivocation {
  const both = <T>(of: (message: T) => SignedStatement, first: T, second: T) => ({
    ...({ kind: 'reportEquivocation', type: evidence.type, blsPublicKey } as const),
    first: of(first),
    second: of(second),
  });
  switch (evidence.type) {
    case 'votes':
      return both(ofVote, evidence.first, evidence.second);
    case 'proposals':
      return both(ofProposal, evidence.first, evidence.second);
    case 'chunks':
      return both(ofHeader, evidence.first, evidence.second);
    default:
      return unreachable(evidence, 'evidence');
  }
}

function ofVote({ subject, signature }: Vote): SignedStatement {
  return { statement: subjectCodec.encode(subject), signature: compressSignature(signature) };
}

function ofProposal({ kind, block, signature }: Proposal): SignedStatement {
  const { epoch, view } = block;
  const statement = proposalStatementCodec.encode({ epoch, view, kind, blockId: blockIdOf(block) });
  return { statement, signature: compressSignature(signature) };
}

function ofHeader({ header, signature }: SignedChunkHeader): SignedStatement {
  return { statement: chunkHeaderCodec.encode(header), signature: compressSignature(signature) };
}
