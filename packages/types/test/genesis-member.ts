import { fromHex, type PeerKey } from '@slipstream/primitives';
import { ed25519Account, type GenesisMember, type TimeParameters } from '../src/index.ts';

interface Keys {
  readonly weight: number;
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
  readonly proofOfPossession?: Uint8Array;
}

/** A member of a test chain; its network key is the account of its operator and its fees. */
export function genesisMember(
  index: number,
  { weight, blsPublicKey, peerKey, proofOfPossession }: Keys,
): GenesisMember {
  const account = ed25519Account(fromHex(peerKey));
  return {
    name: `validator-${index}`,
    weight,
    blsPublicKey,
    proofOfPossession: proofOfPossession ?? new Uint8Array(192),
    peerKey,
    address: `127.0.0.1:${9000 + index}`,
    operator: account,
    feeAccount: account,
  };
}

export const TEST_TIMES: TimeParameters = {
  delayMs: 20,
  graceMs: 40,
  leaderTimeoutMs: 400,
  viewTimeoutMs: 800,
  minBlockIntervalMs: 100,
};
