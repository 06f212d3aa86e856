/** Genesis of a chain with one application: one validator, which signs nothing here, and prices of zero. */
import { FREE_FEES } from '@slipstream/execution';
import { type PeerKey, toHex } from '@slipstream/primitives';
import { asId, ed25519Account, type Genesis, type GenesisHash, OPERATORS_DECIDE } from '@slipstream/types';

/** Stands for the hash of the genesis below, which purses and transactions are of. */
export const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(1));

const VALIDATOR_KEY = new Uint8Array(32).fill(255);

export function testGenesis(application: NonNullable<Genesis['applications']>[number]): Genesis {
  const account = ed25519Account(VALIDATOR_KEY);
  return {
    chain: 'test',
    timestampMs: 0,
    development: true,
    members: [
      {
        name: 'validator-0',
        weight: 1,
        blsPublicKey: new Uint8Array(48).fill(1),
        proofOfPossession: new Uint8Array(192),
        peerKey: toHex(VALIDATOR_KEY) as PeerKey,
        address: '127.0.0.1:9000',
        operator: account,
        feeAccount: account,
      },
    ],
    allocations: [],
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees: FREE_FEES,
    times: { delayMs: 20, graceMs: 40, leaderTimeoutMs: 400, viewTimeoutMs: 800, minBlockIntervalMs: 100 },
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [],
    leaderReputation: false,
    governance: OPERATORS_DECIDE,
    applications: [application],
  };
}
