/** Epochs, validators and proposals as lines of text. */

import { counted, fromHex, to0x, unreachable } from '@slipstream/primitives';
import type {
  ChangeView,
  EpochRecordJson,
  ProposalPage,
  ProposalView,
  ProposalWait,
  ValidatorView,
} from '@slipstream/schema';
import { certifiedMembersHash } from '@slipstream/types';

const WAITS: Readonly<Record<ProposalWait, string>> = {
  approvals: 'more approvals',
  time: 'its time',
  'not-ready': 'a candidate to report readiness, by itself or by: slipstream validator ready',
  'version-unknown':
    'nodes of more than two thirds of the weight to report the version, by themselves or by: slipstream validator ready',
  'artifact-missing':
    'nodes of more than two thirds of the weight to report the artifact, by themselves or by: slipstream validator ready',
  weight: 'a later epoch: one seal moves less of the weight',
  'earlier-change': 'an earlier change that waits',
  'epoch-young': 'the epoch to have 64 blocks',
  'next-epoch': 'the next epoch: a record is sealed already',
};

function waitText(waits: readonly ProposalWait[]): string {
  return waits.length === 0 ? 'the next block, which seals it' : waits.map((wait) => WAITS[wait] ?? wait).join('; ');
}

function changeText(change: ChangeView): string {
  switch (change.kind) {
    case 'addValidator':
      return `add ${change.name}, weight ${change.weight}, ${change.address}, operator ${change.operator}`;
    case 'removeValidator':
      return `remove ${change.validatorId}`;
    case 'setWeight':
      return `weight ${change.weight} for ${change.validatorId}`;
    case 'setParameters':
      return parametersText(change);
    case 'setTrustedIssuers':
      return `trusted issuers: ${change.trustedIssuers.length === 0 ? 'none' : change.trustedIssuers.join(', ')}`;
    case 'setVersion':
      return `version ${change.version} of the rules`;
    case 'setGovernance': {
      const { administrators, approvals } = change.governance;
      if (administrators.length === 0) return 'governance: the operators of more than two thirds of the weight';
      return `governance: ${approvals} of ${administrators.join(', ')}`;
    }
    case 'upgradeApplication':
      return `application ${change.name}: version ${change.version}, artifact ${change.hash}`;
    default:
      return unreachable(change, 'change');
  }
}

function parametersText({ fees, times, leaderReputation }: Extract<ChangeView, { kind: 'setParameters' }>): string {
  const reputation = leaderReputation === undefined ? '' : `, leader reputation ${leaderReputation ? 'on' : 'off'}`;
  return `parameters: fees ${JSON.stringify(fees)}, times ${JSON.stringify(times)}${reputation}`;
}

export function proposalText(proposal: ProposalView): string {
  const { approvals, approvedWeight, neededWeight, notBeforeMs, expiresMs, waits } = proposal;
  const from = notBeforeMs === 0 ? [] : [`  not before ${dateText(notBeforeMs)}`];
  return [
    `proposal ${proposal.id}`,
    ...proposal.changes.map((change) => `  change     ${changeText(change)}`),
    `  proposer   ${proposal.proposer}`,
    ...approvals.map(({ account, weight }) => `  approved   ${account}, weight ${weight}`),
    `  approvals  ${approvedWeight} of ${neededWeight} needed`,
    ...from,
    `  expires    ${dateText(expiresMs)}`,
    `  waits for  ${waitText(waits)}`,
  ].join('\n');
}

export function governanceText({ by, governors, neededWeight }: ProposalPage['governance']): string {
  const decides =
    by === 'administrators'
      ? `${neededWeight} administrators decide`
      : `operators decide, with a weight of ${neededWeight}`;
  return [
    decides,
    ...governors.map(({ account, weight, validators }) => `  ${[account, ...validators].join(' ')}, weight ${weight}`),
  ].join('\n');
}

export function validatorText(validator: ValidatorView): string {
  const { id, name, status, weight, operator, feeAccount, address, rotation, blsPublicKey, peer } = validator;
  return [
    `${name}: ${status}${status === 'member' ? `, weight ${weight}` : ''}`,
    `  id         ${id}`,
    `  keys       ${blsPublicKey}, ${peer}`,
    ...(rotation === null ? [] : [`  next keys  ${rotation.blsPublicKey}, ${rotation.peer}`]),
    `  address    ${address}`,
    `  operator   ${operator}`,
    `  fees to    ${feeAccount}`,
    `  version    ${validator.version}, reported in epoch ${validator.versionEpoch}`,
    ...stateOf(validator).map((line) => `  state      ${line}`),
  ].join('\n');
}

function stateOf({ status, rotation, ready, leaving, reported, bench }: ValidatorView): readonly string[] {
  if (status === 'removed')
    return ['removed from the newest record; once its epoch has begun, erase the keys here: slipstream keys retire'];
  const awaited = status === 'candidate' || rotation !== null;
  return [
    ...(reported ? ['it signed a contradiction: the next seal removes it'] : []),
    ...(leaving ? ['leaves at a seal'] : []),
    ...(bench === null ? [] : [benchText(bench)]),
    ...(awaited && ready ? ['ready: the keys come with a seal'] : []),
    ...(awaited && !ready
      ? ['NOT READY: its node reports once it is synced and connected, by itself or by: slipstream validator ready']
      : []),
  ];
}

function benchText({ readyFrom, ready }: NonNullable<ValidatorView['bench']>): string {
  if (ready) return 'ready: it leads again after a seal';
  return `it lost its turns and leads no view: from height ${readyFrom} on its node reports readiness, by itself or by: slipstream validator ready`;
}

export function recordText(record: EpochRecordJson): string {
  const { epoch, version, members, totalWeight, quorumWeight, recordHash, endedMs } = record;
  return [
    `epoch ${epoch}: ${counted(members.length, 'validator')}, weight ${totalWeight}, quorum ${quorumWeight}, version ${version} of the rules`,
    `  record     ${recordHash}`,
    `  checkpoint ${epoch}:${committeeHash(members)}`,
    ...(endedMs === null ? [] : [`  ended      ${dateText(endedMs)}`]),
    ...members.map(
      ({ index, name, weight, address, validatorId, leads }) =>
        `  ${String(index).padStart(4)}  ${name}, weight ${weight}, ${address}${leads ? '' : ', leads no view'}  ${validatorId}`,
    ),
  ].join('\n');
}

/** As `sync.checkpoint` takes it. */
function committeeHash(members: EpochRecordJson['members']): string {
  const certified = members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey: fromHex(blsPublicKey) }));
  return to0x(certifiedMembersHash(certified));
}

export function dateText(ms: number): string {
  return new Date(ms).toISOString();
}
