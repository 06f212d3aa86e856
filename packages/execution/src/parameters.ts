/** Parameters of execution, all from genesis. */
import { fromHex } from '@slipstream/primitives';
import { type AccountKey, ed25519Account, type FeeParameters, type Genesis, type GenesisHash } from '@slipstream/types';
import { accountStateKey, type StateKey } from './state-keys.ts';

export interface ExecutionParameters {
  readonly genesisHash: GenesisHash;
  readonly fees: FeeParameters;
  /** Accounts that receive the validators' fees, by committee index. */
  readonly feeAccounts: readonly StateKey[];
}

/** The peer key as an Ed25519 account, whose holder can spend the fees. */
function feeAccountOf(member: { readonly peerKey: string }): AccountKey {
  return ed25519Account(fromHex(member.peerKey));
}

export function executionParameters(genesis: Genesis, genesisHash: GenesisHash): ExecutionParameters {
  return {
    genesisHash,
    fees: genesis.fees,
    feeAccounts: genesis.members.map((member) => accountStateKey(feeAccountOf(member))),
  };
}
