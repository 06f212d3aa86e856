/** The genesis file. Parsing reports every fault at once. */

import type { PeerKey } from '@slipstream/primitives';
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import { accountKeyText } from './account.ts';
import { readDistilled } from './directory/parameters.ts';
import {
  feesToJson,
  governanceToJson,
  issuersToJson,
  readAccount,
  readFees,
  readGovernance,
  readIssuers,
  readReputation,
  readTimes,
} from './epochs/parameters-json.ts';
import type { Genesis } from './genesis.ts';
import { genesisApplicationToJson, readGenesisApplications } from './genesis-applications.ts';
import { type Json, JsonReader } from './json-reader.ts';
import {
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  COMMITTEE_MEMBERS_MAX,
  COMMITTEE_WEIGHT_MAX,
  ED25519_PUBLIC_KEY_BYTES,
} from './limits.ts';
import { NODE_NAME, requireNodeAddress } from './node-place.ts';

export const CHAIN_NAME = { match: /^[a-z0-9-]{1,32}$/, is: '1 to 32 of a-z, 0-9 and -' } as const;

const STATE_BYTES_MAX = 2 ** 31 - 1;
/** MOVE_BYTES_MAX of the state store. */
const STATE_MOVE_BYTES_MAX = 2 ** 28;

export function genesisToJson(genesis: Genesis): Json {
  return {
    chain: genesis.chain,
    timestampMs: genesis.timestampMs,
    development: genesis.development,
    members: genesis.members.map((member) => ({
      name: member.name,
      weight: member.weight,
      blsPublicKey: to0x(member.blsPublicKey),
      proofOfPossession: to0x(member.proofOfPossession),
      peerKey: `0x${member.peerKey}`,
      address: member.address,
      operator: accountKeyText(member.operator),
      feeAccount: accountKeyText(member.feeAccount),
    })),
    allocations: genesis.allocations.map(({ account, balance }) => ({
      account: accountKeyText(account),
      balance: balance.toString(),
    })),
    generated: {
      seed: to0x(genesis.generated.seed),
      count: genesis.generated.count,
      balance: genesis.generated.balance.toString(),
    },
    fees: feesToJson(genesis.fees),
    times: { ...genesis.times },
    state: { ...genesis.state },
    trustedIssuers: issuersToJson(genesis.trustedIssuers),
    leaderReputation: genesis.leaderReputation,
    governance: governanceToJson(genesis.governance),
    ...(genesis.distilled && { distilled: { ...genesis.distilled } }),
    ...(genesis.applications && { applications: genesis.applications.map(genesisApplicationToJson) }),
  };
}

export function genesisFromJson(json: unknown): Result<Genesis, readonly string[]> {
  const reader = new JsonReader();
  const root = reader.object(json, 'genesis');
  const generated = reader.object(root.generated, 'generated');
  const state = reader.object(root.state, 'state');
  const distilled = readDistilled(reader, root);
  const applications = readGenesisApplications(reader, root);
  const genesis: Genesis = {
    chain: reader.matching(root.chain, 'chain', CHAIN_NAME),
    timestampMs: reader.integer(root.timestampMs, 'timestampMs', 0),
    development: root.development === true,
    members: readMembers(reader, root),
    allocations: reader.list(root.allocations, 'allocations', 1_000_000).map((entry, i) => {
      const allocation = reader.object(entry, `allocations[${i}]`);
      return {
        account: readAccount(reader, allocation.account, `allocations[${i}].account`),
        balance: reader.amount(allocation.balance, `allocations[${i}].balance`),
      };
    }),
    generated: {
      seed: reader.bytes(generated.seed, 'generated.seed', 32),
      count: reader.integer(generated.count, 'generated.count', 0, 100_000_000),
      balance: reader.amount(generated.balance, 'generated.balance'),
    },
    fees: readFees(reader, root),
    times: readTimes(reader, root),
    state: {
      history: reader.integer(state.history, 'state.history', 1, 510),
      deadPercent: reader.integer(state.deadPercent, 'state.deadPercent', 1, 10_000),
      deadBytesMin: reader.integer(state.deadBytesMin, 'state.deadBytesMin', 0, STATE_BYTES_MAX),
      deadBytesMax: reader.integer(state.deadBytesMax, 'state.deadBytesMax', 1, STATE_BYTES_MAX),
      moveBytesMax: reader.integer(state.moveBytesMax, 'state.moveBytesMax', 1, STATE_MOVE_BYTES_MAX),
    },
    trustedIssuers: readIssuers(reader, root),
    leaderReputation: readReputation(reader, root) ?? false,
    governance: readGovernance(reader, root),
    ...(distilled && { distilled }),
    ...(applications && { applications }),
  };
  return reader.faults.length === 0 ? ok(genesis) : fail(reader.faults);
}

function readMembers(reader: JsonReader, root: Json): Genesis['members'] {
  const members = reader.list(root.members, 'members', COMMITTEE_MEMBERS_MAX).map((entry, i) => {
    const member = reader.object(entry, `members[${i}]`);
    const peerKey = reader.bytes(member.peerKey, `members[${i}].peerKey`, ED25519_PUBLIC_KEY_BYTES);
    return {
      name: reader.matching(member.name, `members[${i}].name`, NODE_NAME),
      weight: reader.integer(member.weight, `members[${i}].weight`, 1, COMMITTEE_WEIGHT_MAX),
      blsPublicKey: reader.bytes(member.blsPublicKey, `members[${i}].blsPublicKey`, BLS_PUBLIC_KEY_BYTES),
      proofOfPossession: reader.bytes(member.proofOfPossession, `members[${i}].proofOfPossession`, BLS_SIGNATURE_BYTES),
      peerKey: to0x(peerKey).slice(2) as PeerKey,
      address: reader.parse(`members[${i}].address`, '', () => requireNodeAddress(member.address)),
      operator: readAccount(reader, member.operator, `members[${i}].operator`),
      feeAccount: readAccount(reader, member.feeAccount, `members[${i}].feeAccount`),
    };
  });
  if (members.length === 0) reader.faults.push('members: a chain has at least one validator');
  const weight = members.reduce((sum, member) => sum + member.weight, 0);
  if (weight > COMMITTEE_WEIGHT_MAX) {
    reader.faults.push(`members: the weights add up to ${weight}, at most ${COMMITTEE_WEIGHT_MAX} are allowed`);
  }
  if (new Set(members.map((member) => member.name)).size !== members.length) {
    reader.faults.push('members: two validators have the same name');
  }
  if (new Set(members.map((member) => member.peerKey)).size !== members.length) {
    reader.faults.push('members: two validators have the same peer key');
  }
  if (new Set(members.map((member) => to0x(member.blsPublicKey))).size !== members.length) {
    reader.faults.push('members: two validators have the same BLS key');
  }
  return members;
}
