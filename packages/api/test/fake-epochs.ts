/** Epochs of a chain that never left its genesis. */
import { to0x } from '@slipstream/primitives';
import type { EpochRecordJson, ProposalPage, ProposalView, ValidatorView } from '@slipstream/schema';
import {
  accountKeyText,
  type Genesis,
  genesisHashOf,
  genesisToJson,
  quorumWeight,
  recordHashOf,
  recordOfGenesis,
  validatorIdOf,
} from '@slipstream/types';
import type { EpochReads } from '../src/index.ts';

export const OPEN_PROPOSAL = `0x${'cd'.repeat(32)}`;

export function fakeEpochs(genesis: Genesis): EpochReads {
  const validators = genesis.members.map((member) => validatorOf(member));
  const record = recordOf(genesis);
  const proposals = proposalsOf(validators);
  const { epoch, version, recordHash, totalWeight, endedMs, members } = record;
  return {
    list: async () => ({
      height: 0,
      current: { epoch: 0, firstHeight: 1, firstView: 1, sealed: null, sealsFrom: 64 },
      items: [{ epoch, version, recordHash, totalWeight, endedMs, members: members.length }],
      next: null,
    }),
    record: async (asked = 0) => (asked === 0 ? record : undefined),
    validators: async ({ limit, waiting }) => ({
      height: 0,
      items: waiting === true ? [] : validators.slice(0, limit),
      next: null,
    }),
    validator: async (reference) =>
      validators.find(({ id, blsPublicKey }) => [id, blsPublicKey].includes(to0x(reference))),
    proposals: async () => proposals,
    proposal: async (id) => proposals.items.find((each) => each.id === to0x(id)),
  };
}

function recordOf(genesis: Genesis): EpochRecordJson {
  const { members, ...record } = recordOfGenesis(genesis);
  const totalWeight = members.reduce((sum, { weight }) => sum + weight, 0);
  const { fees, times, trustedIssuers, leaderReputation } = genesisToJson(
    genesis,
  ) as unknown as EpochRecordJson['parameters'];
  return {
    height: 0,
    recordHash: to0x(recordHashOf(genesisHashOf(genesis), { ...record, members })),
    epoch: record.epoch,
    version: record.version,
    totalWeight,
    endedMs: null,
    quorumWeight: quorumWeight({ totalWeight }),
    parameters: { fees, times, trustedIssuers, leaderReputation },
    members: members.map(({ weight, address, leads, ...member }, index) => ({
      index,
      weight,
      address,
      leads,
      name: genesis.members[index]?.name ?? '',
      validatorId: to0x(member.validatorId),
      blsPublicKey: to0x(member.blsPublicKey),
      peer: `0x${member.peerKey}`,
      previousPeer: null,
      feeAccount: accountKeyText(member.feeAccount),
    })),
  };
}

function validatorOf(member: Genesis['members'][number]): ValidatorView {
  return {
    id: to0x(validatorIdOf(member.blsPublicKey)),
    name: member.name,
    status: 'member',
    weight: member.weight,
    address: member.address,
    blsPublicKey: to0x(member.blsPublicKey),
    peer: `0x${member.peerKey}`,
    lostTurns: 0,
    bench: null,
    rotation: null,
    ready: false,
    leaving: false,
    reported: false,
    version: 1,
    versionEpoch: 0,
    operator: accountKeyText(member.operator),
    feeAccount: accountKeyText(member.feeAccount),
  };
}

function proposalsOf(validators: readonly ValidatorView[]): ProposalPage {
  const { id: validatorId, operator } = validators[0] as ValidatorView;
  const proposal: ProposalView = {
    id: OPEN_PROPOSAL,
    proposer: operator,
    changes: [{ kind: 'setWeight', validatorId, weight: 2 }],
    approvals: [{ account: operator, weight: 1 }],
    approvedWeight: 1,
    neededWeight: 3,
    notBeforeMs: 0,
    expiresMs: 1_800_000_000_000,
    waits: ['approvals'],
  };
  return {
    height: 0,
    governance: {
      by: 'operators',
      governors: [{ account: operator, weight: 4, validators: validators.map(({ name }) => name) }],
      neededWeight: 3,
    },
    items: [proposal],
    next: null,
  };
}
