/** Proposals: a leader's block with the certificates that justify it (consensus.md, rules 2 and 3). */
import { ByteVectorType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { type Block, blockFromWire, blockToWire, blockType } from './block.ts';
import {
  CERTIFICATE_BYTES_MAX,
  type Certificate,
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
} from './certificate.ts';
import type { BlockId, Epoch, View } from './ids.ts';
import { epoch, view } from './ids.ts';
import { BLOCK_BYTES_MAX, BLS_SIGNATURE_BYTES, JUSTIFICATION_NULLIFICATIONS_MAX } from './limits.ts';
import type { ProposalKind } from './subject.ts';
import { bytes32, uint8, uint32, uint53 } from './subject-wire.ts';

export interface Proposal {
  readonly kind: ProposalKind;
  readonly block: Block;
  /**
   * The parent's notarization (or finalization, or state certificate), then the newest nullifications since its view. Empty for optimistic
   * proposals and children of genesis in view 1.
   */
  readonly justification: readonly Certificate[];
  /** 192 bytes over proposalMessage. */
  readonly signature: Uint8Array;
}

/** A normal proposal, without body, of an optimistically proposed block (rule 3). */
export interface Confirmation {
  readonly epoch: Epoch;
  readonly view: View;
  readonly blockId: BlockId;
  /** Of the normal proposal. */
  readonly signature: Uint8Array;
}

const PROPOSAL_KINDS = ['optimistic', 'normal'] as const satisfies readonly ProposalKind[];
const JUSTIFICATION_MAX = JUSTIFICATION_NULLIFICATIONS_MAX + 1;

const proposalType = new ContainerType({
  kind: uint8,
  block: blockType,
  justification: new ListCompositeType(certificateType, JUSTIFICATION_MAX),
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

interface ProposalWire {
  readonly kind: number;
  readonly block: ReturnType<typeof blockToWire>;
  readonly justification: readonly CertificateWire[];
  readonly signature: Uint8Array;
}

export const PROPOSAL_BYTES_MAX = BLOCK_BYTES_MAX + JUSTIFICATION_MAX * CERTIFICATE_BYTES_MAX + 1024;

export const proposalCodec = createCodec<Proposal, ProposalWire>('proposal', proposalType, PROPOSAL_BYTES_MAX, {
  toWire: (proposal) => ({
    kind: PROPOSAL_KINDS.indexOf(proposal.kind),
    block: blockToWire(proposal.block),
    justification: proposal.justification.map(certificateToWire),
    signature: proposal.signature,
  }),
  fromWire: (wire) => {
    const kind = PROPOSAL_KINDS[wire.kind];
    if (kind === undefined) throw new RangeError(`unknown proposal kind ${wire.kind}`);
    if (kind === 'optimistic' && wire.justification.length > 0) {
      throw new RangeError('an optimistic proposal has no justification');
    }
    return {
      kind,
      block: blockFromWire(wire.block),
      justification: wire.justification.map(certificateFromWire),
      signature: wire.signature,
    };
  },
});

export const confirmationType = new ContainerType({
  epoch: uint32,
  view: uint53,
  blockId: bytes32,
  signature: new ByteVectorType(BLS_SIGNATURE_BYTES),
});

export interface ConfirmationWire {
  readonly epoch: number;
  readonly view: number;
  readonly blockId: Uint8Array;
  readonly signature: Uint8Array;
}

export function confirmationToWire(confirmation: Confirmation): ConfirmationWire {
  return confirmation;
}

export function confirmationFromWire(wire: ConfirmationWire): Confirmation {
  const { blockId, signature } = wire;
  return { epoch: epoch(wire.epoch), view: view(wire.view), blockId: blockId as BlockId, signature };
}
