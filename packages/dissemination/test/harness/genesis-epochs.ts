import {
  type Committee,
  type EpochRecord,
  ed25519Account,
  GENESIS_EPOCH,
  type Genesis,
  recordOfGenesis,
  type Units,
  validatorIdOf,
} from '@slipstream/types';
import { TEST_TIMES } from '../../../types/test/genesis-member.ts';
import { type Committees, createCommittees, type Epochs } from '../../src/epochs/committees.ts';

const STOPPED = { monotonicMs: () => 0 };

/** One epoch, which never ends. */
export function genesisEpochs(genesis: Genesis, self: number | undefined): Epochs {
  return soleEpoch(recordOfGenesis(genesis), self);
}

export function genesisCommittees(genesis: Genesis, self: number | undefined): Committees {
  return createCommittees(genesisEpochs(genesis, self), STOPPED);
}

export function soleCommittee({ members, epoch }: Committee, limits: Units): Committees {
  const free = limits.map(() => 0n);
  const record: EpochRecord = {
    epoch,
    version: 1,
    parameters: {
      fees: { initialPrices: free, minimumPrices: free, targets: limits, limits, windowBlocks: 100 },
      times: TEST_TIMES,
      trustedIssuers: [],
      leaderReputation: false,
      applications: [],
    },
    members: members.map(({ weight, blsPublicKey, peerKey }) => ({
      weight,
      blsPublicKey,
      peerKey,
      previousPeerKey: undefined,
      address: '127.0.0.1:1',
      leads: true,
      validatorId: validatorIdOf(blsPublicKey),
      feeAccount: ed25519Account(new Uint8Array(32)),
    })),
  };
  return createCommittees(soleEpoch(record, 0), STOPPED);
}

function soleEpoch(record: EpochRecord, self: number | undefined): Epochs {
  return {
    of: (epoch) => (epoch === GENESIS_EPOCH ? record : undefined),
    now: () => GENESIS_EPOCH,
    self: () => self,
    endedMs: () => undefined,
  };
}
