import { LOCAL_OPTIONS } from '@slipstream/consensus';
import { FREE_FEES } from '@slipstream/execution';
import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { EPOCH_MS } from '@slipstream/simulator';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type Committee,
  createCommittee,
  type DistilledParameters,
  type EpochRecord,
  type GenesisHash,
  genesisBlock,
  RULES_VERSION,
  validatorIdOf,
} from '@slipstream/types';
import type { SimulatedCalls } from './calls/simulated-calls.ts';
import type { ChainApplications } from './whole/applications.ts';

export interface SimulatedChain {
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  /** Of that committee. */
  readonly record: EpochRecord;
  readonly genesis: Block;
  readonly genesisId: BlockId;
  /** Undefined: no account directory. */
  readonly distilled: DistilledParameters | undefined;
  /** Undefined: no applications. */
  readonly calls: SimulatedCalls | undefined;
  /** Of whole nodes. Undefined: none. */
  readonly applications: ChainApplications | undefined;
}

interface ChainOptions {
  readonly name?: string | undefined;
  readonly leaderReputation?: boolean | undefined;
  readonly distilled?: DistilledParameters | undefined;
  readonly calls?: SimulatedCalls | undefined;
  readonly applications?: ChainApplications | undefined;
}

/** The members depend on the seed alone, so that frames can be replayed to another chain. */
export function createChain(
  seed: string,
  weights: readonly number[],
  publicKeys: readonly Uint8Array[],
  { name = 'chain', leaderReputation = false, distilled, calls, applications }: ChainOptions = {},
): SimulatedChain {
  const genesisHash = asId<GenesisHash>(sha256(utf8(`${name} ${seed}`)));
  const committee = createCommittee(
    weights.map((weight, index) => ({
      weight,
      blsPublicKey: publicKeys[index] as Uint8Array,
      peerKey: toHex(sha256(utf8(`peer ${seed} ${index}`))) as PeerKey,
    })),
  );
  const genesis = genesisBlock(genesisHash, EPOCH_MS - 1000);
  return {
    genesisHash,
    committee,
    record: recordOf(committee, leaderReputation),
    genesis,
    genesisId: blockIdOf(genesis),
    distilled,
    calls,
    applications,
  };
}

/** Parameters and addresses play no part here. */
export function recordOf({ epoch, members }: Committee, leaderReputation = false): EpochRecord {
  return {
    epoch,
    version: RULES_VERSION,
    parameters: { fees: FREE_FEES, times: LOCAL_OPTIONS, trustedIssuers: [], leaderReputation, applications: [] },
    members: members.map(({ weight, blsPublicKey, peerKey }) => ({
      validatorId: validatorIdOf(blsPublicKey),
      weight,
      blsPublicKey,
      peerKey,
      previousPeerKey: undefined,
      address: 'simulated:1',
      feeAccount: { scheme: 'ed25519', bytes: sha256(blsPublicKey) },
      leads: true,
    })),
  };
}
