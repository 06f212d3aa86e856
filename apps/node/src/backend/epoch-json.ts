/** JSON forms of what the state knows of epochs. */
import type { Governors, Outlook, ProposalOutlook, Validator } from '@slipstream/execution';
import { to0x } from '@slipstream/primitives';
import type {
  ChangeView,
  EpochRecordJson,
  EventData,
  ProposalPage,
  ProposalView,
  ProposalWait,
  ValidatorView,
} from '@slipstream/schema';
import {
  accountKeyText,
  changeToJson,
  type EpochRecord,
  feesToJson,
  type Governance,
  issuersToJson,
  quorumWeight,
  type RecordHash,
  type ValidatorId,
} from '@slipstream/types';

interface RecordParts {
  readonly record: EpochRecord;
  readonly hash: RecordHash;
  /** Of the members, in their order. */
  readonly names: readonly string[];
  /** 0: not over. */
  readonly endedMs: number;
  readonly height: number;
}

/** A member's former network key only where it differs. */
export function committeeJson({
  epoch,
  members,
}: EpochRecord): Pick<EventData<'epoch.begun'>, 'epoch' | 'totalWeight' | 'quorumWeight' | 'members'> {
  return {
    epoch,
    ...weightsOf(members),
    members: members.map(({ weight, blsPublicKey, peerKey, previousPeerKey }, index) => ({
      index,
      weight,
      peer: `0x${peerKey}`,
      blsPublicKey: to0x(blsPublicKey),
      ...(previousPeerKey !== undefined && { previousPeer: `0x${previousPeerKey}` }),
    })),
  };
}

function weightsOf(members: EpochRecord['members']) {
  const totalWeight = members.reduce((sum, { weight }) => sum + weight, 0);
  return { totalWeight, quorumWeight: quorumWeight({ totalWeight }) };
}

export function recordJson({ record, hash, names, endedMs, height }: RecordParts): EpochRecordJson {
  const { epoch, version, parameters, members } = record;
  return {
    height,
    epoch,
    version,
    ...weightsOf(members),
    recordHash: to0x(hash),
    endedMs: endedMs === 0 ? null : endedMs,
    parameters: {
      fees: feesToJson(parameters.fees),
      times: { ...parameters.times },
      trustedIssuers: issuersToJson(parameters.trustedIssuers),
      leaderReputation: parameters.leaderReputation,
    },
    members: members.map((member, index) => ({
      index,
      validatorId: to0x(member.validatorId),
      name: names[index] ?? '',
      weight: member.weight,
      leads: member.leads,
      blsPublicKey: to0x(member.blsPublicKey),
      peer: `0x${member.peerKey}`,
      previousPeer: member.previousPeerKey === undefined ? null : `0x${member.previousPeerKey}`,
      address: member.address,
      feeAccount: accountKeyText(member.feeAccount),
    })),
  };
}

export function validatorJson(id: ValidatorId, validator: Validator): ValidatorView {
  const { name, status, weight, rotation, ready, leaving, reported, version, versionEpoch, address } = validator;
  return {
    id: to0x(id),
    name,
    status,
    weight,
    ready,
    leaving,
    reported,
    version,
    versionEpoch,
    address,
    lostTurns: validator.reputation.lostTurns,
    bench: benchJson(validator),
    blsPublicKey: to0x(validator.blsPublicKey),
    peer: `0x${validator.peerKey}`,
    rotation:
      rotation === undefined ? null : { blsPublicKey: to0x(rotation.blsPublicKey), peer: `0x${rotation.peerKey}` },
    operator: accountKeyText(validator.operator),
    feeAccount: accountKeyText(validator.feeAccount),
  };
}

function benchJson({ reputation: { benched, ready, untilHeight } }: Validator): ValidatorView['bench'] {
  return benched ? { readyFrom: untilHeight, ready } : null;
}

/** `operated`: names of members by the account of their operator. */
export function governorsJson(
  { administrators }: Governance,
  { weights, needed }: Governors,
  operated: ReadonlyMap<string, readonly string[]>,
): ProposalPage['governance'] {
  return {
    by: administrators.length > 0 ? 'administrators' : 'operators',
    governors: [...weights].map(([account, weight]) => ({ account, weight, validators: operated.get(account) ?? [] })),
    neededWeight: needed,
  };
}

export function proposalJson(proposal: ProposalOutlook, outlook: Outlook, height: number): ProposalView {
  const { governors } = outlook;
  return {
    id: to0x(proposal.id),
    proposer: accountKeyText(proposal.proposer),
    changes: proposal.changes.map((change): ChangeView => changeToJson(change)),
    approvals: proposal.approvals.map(accountKeyText).map((account) => ({
      account,
      weight: governors.weights.get(account) ?? 0,
    })),
    approvedWeight: proposal.approvedWeight,
    neededWeight: governors.needed,
    notBeforeMs: proposal.notBeforeMs,
    expiresMs: proposal.expiresMs,
    waits: waitsOf(proposal, outlook, height),
  };
}

function waitsOf({ reasons }: ProposalOutlook, { sealsFrom }: Outlook, height: number): readonly ProposalWait[] {
  if (sealsFrom === undefined) return [...reasons, 'next-epoch'];
  return height + 1 < sealsFrom ? [...reasons, 'epoch-young'] : reasons;
}
