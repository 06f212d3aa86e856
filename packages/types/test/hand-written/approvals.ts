/** approve and revoke: a governor agrees to a proposal, or no longer does. */

import { type Codec, ContainerType, createCodec, to0x } from '@slipstream/primitives';
import { parseBytes } from '../../src/actions/json.ts';
import { asId, type ProposalId } from '../../src/ids.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';
import { bytes32 } from '../../src/subject-wire.ts';

interface Approval<K extends 'approve' | 'revoke'> {
  readonly kind: K;
  readonly proposalId: ProposalId;
}

export type Approve = Approval<'approve'>;
export type Revoke = Approval<'revoke'>;

interface ApprovalJson<K extends 'approve' | 'revoke'> {
  readonly kind: K;
  readonly proposalId: string;
}

export type ApproveJson = ApprovalJson<'approve'>;
export type RevokeJson = ApprovalJson<'revoke'>;

interface ApprovalForm<K extends 'approve' | 'revoke'> {
  readonly codec: Codec<Approval<K>>;
  toJson(action: Approval<K>): ApprovalJson<K>;
  /** Throws RangeError with the reason. */
  fromJson(json: ApprovalJson<K>): Approval<K>;
}

const type = new ContainerType({ proposalId: bytes32 });

function formOf<K extends 'approve' | 'revoke'>(kind: K): ApprovalForm<K> {
  return {
    codec: createCodec<Approval<K>, { readonly proposalId: Uint8Array }>(kind, type, ACTION_BODY_BYTES_MAX, {
      toWire: ({ proposalId }) => ({ proposalId }),
      fromWire: ({ proposalId }) => ({ kind, proposalId: asId<ProposalId>(proposalId) }),
    }),
    toJson: ({ proposalId }) => ({ kind, proposalId: to0x(proposalId) }),
    fromJson: ({ proposalId }) => ({ kind, proposalId: asId<ProposalId>(parseBytes(proposalId)) }),
  };
}

export const APPROVE_FORM = formOf('approve');
export const REVOKE_FORM = formOf('revoke');
