import type { DistilledVerifier, Signer, Verifier, VerifierCommittees } from '@slipstream/ports';

/** One verifier for all nodes. It knows the first committee, of the genesis epoch. */
export interface SignatureScheme extends VerifierCommittees {
  readonly name: 'stand-in' | 'bls';
  /** Of the first committee: 48 bytes each, in its order. */
  readonly publicKeys: readonly Uint8Array[];
  /** By number of the key pair: the first committee's come first, any others belong to later ones. */
  signer(key: number): Signer;
  /** 96 bytes, as in actions. */
  signAction(key: number, message: Uint8Array): Uint8Array;
  readonly verifier: Verifier;
  readonly distilled: DistilledVerifier;
  /** By number of the account: a key for the account directory. */
  accountSigner(account: number): AccountSigner;
  /** 96 bytes, of shares for one message in the order of their keys. */
  aggregate(shares: readonly Uint8Array[]): Uint8Array;
}

export interface AccountSigner {
  /** 96 bytes: a point of the curve in every scheme. */
  readonly blsKey: Uint8Array;
  share(message: Uint8Array): Uint8Array;
}
