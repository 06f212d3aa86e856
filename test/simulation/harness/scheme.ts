import type { Signer, Verifier } from '@slipstream/ports';

export interface SignatureScheme {
  readonly name: 'stand-in' | 'bls';
  /** 48 bytes each, in the committee's order. */
  readonly publicKeys: readonly Uint8Array[];
  signer(member: number): Signer;
  readonly verifier: Verifier;
}
