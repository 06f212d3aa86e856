/** What execution must know of the chain: the same for all nodes, from genesis alone. */
import { fromHex } from '@slipstream/primitives';
import { type AccountKey, ed25519Account, type FeeParameters, type Genesis, type GenesisHash } from '@slipstream/types';
import { accountStateKey, type StateKey } from './state-keys.ts';

export interface ExecutionParameters {
  readonly genesisHash: GenesisHash;
  readonly fees: FeeParameters;
  /** By committee index: where a validator's fees are credited. */
  readonly feeAccounts: readonly StateKey[];
}

/** A validator earns fees under its node's peer key, read as an Ed25519 account: its holder can spend them. */
export function feeAccountOf(member: { readonly peerKey: string }): AccountKey {
  return ed25519Account(fromHex(member.peerKey));
}

export function executionParameters(genesis: Genesis, genesisHash: GenesisHash): ExecutionParameters {
  return {
    genesisHash,
    fees: genesis.fees,
    feeAccounts: genesis.members.map((member) => accountStateKey(feeAccountOf(member))),
  };
}
