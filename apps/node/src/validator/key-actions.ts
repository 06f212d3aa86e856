/** Actions that a validator's key signs. `sign` gives 96 bytes over 32. */
import type { PeerKey } from '@slipstream/primitives';
import {
  type AccountKey,
  consentMessage,
  type GenesisHash,
  type Ready,
  type RotateKeys,
  readyMessage,
} from '@slipstream/types';

export interface SigningKeys {
  /** 48 bytes. */
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
  sign(message: Uint8Array): Uint8Array;
}

/** The node with these keys is synced and connected in this epoch, knows this version of the rules, and has these artifacts. */
export function readyAction(
  genesisHash: GenesisHash,
  { sign, ...keys }: SigningKeys,
  stated: Pick<Ready, 'epoch' | 'version' | 'artifacts'>,
): Ready {
  const terms = { ...keys, ...stated };
  return { kind: 'ready', ...terms, signature: sign(readyMessage(genesisHash, terms)) };
}

/** 96 bytes: the key's owner has its secret, and means this chain, network key and operator. */
export function consentOf(genesisHash: GenesisHash, { sign, ...keys }: SigningKeys, operator: AccountKey): Uint8Array {
  return sign(consentMessage(genesisHash, keys, operator));
}

/** Sent by the operator. */
export function rotateKeysAction(
  genesisHash: GenesisHash,
  keys: SigningKeys,
  { operator, ...rest }: Pick<RotateKeys, 'validatorId' | 'address' | 'feeAccount'> & { readonly operator: AccountKey },
): RotateKeys {
  const { blsPublicKey, peerKey } = keys;
  return { kind: 'rotateKeys', ...rest, blsPublicKey, peerKey, consent: consentOf(genesisHash, keys, operator) };
}
