import type { Signer, Verifier, VerifierCommittees } from '@slipstream/ports';

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
}
