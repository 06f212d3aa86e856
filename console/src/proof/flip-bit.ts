/** Changes one bit of a proof, to show that the verification refuses it. */
import type { ProofJson } from '@slipstream/schema';

/** The changed proof, serialized. */
export function flipBit({ ssz }: Pick<ProofJson, 'ssz'>, bit: number): string {
  const at = 2 + Math.floor(bit / 4);
  const digit = Number.parseInt(ssz.charAt(at), 16) ^ (1 << (bit % 4));
  return `${ssz.slice(0, at)}${digit.toString(16)}${ssz.slice(at + 1)}`;
}

export function bitsOf({ ssz }: Pick<ProofJson, 'ssz'>): number {
  return (ssz.length - 2) * 4;
}
