/** Signatures with errors that cancel in a sum. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { fromHex, toHex } from '@slipstream/primitives';

const G2 = bls12_381.G2.Point;
type Point = InstanceType<typeof G2>;

export const pointOf = (bytes: Uint8Array): Point => G2.fromHex(toHex(bytes));

/** Uncompressed. The library refuses to encode a point outside the group. */
export function encodePoint(p: Point): Uint8Array {
  const { x, y } = p.toAffine();
  return fromHex([x.c1, x.c0, y.c1, y.c0].map((part) => part.toString(16).padStart(96, '0')).join(''));
}

export const ERRORS = { 'in the group': () => G2.BASE.multiply(12345n), 'outside the group': outsideGroup };

function outsideGroup(): Point {
  for (let x = 1n; ; x++) {
    const fields = bls12_381.fields.Fp2;
    const right = fields.add(
      fields.mul(fields.sqr(fields.fromBigTuple([x, 0n])), fields.fromBigTuple([x, 0n])),
      G2.CURVE().b,
    );
    try {
      const candidate = G2.fromAffine({ x: fields.fromBigTuple([x, 0n]), y: fields.sqrt(right) });
      if (!candidate.isTorsionFree()) return candidate;
    } catch {
      // No point has this abscissa.
    }
  }
}

/** All good but `a` and `b`, whose sum is that of their good signatures. */
export function cancelling(good: readonly Uint8Array[], a: number, b: number, error: Point): Uint8Array[] {
  const signatures = [...good];
  signatures[a] = encodePoint(pointOf(good[a] as Uint8Array).add(error));
  signatures[b] = encodePoint(pointOf(good[b] as Uint8Array).subtract(error));
  return signatures;
}

/** The order of the groups less the secret: its key cancels the other's. */
export function opposite(secretKey: Uint8Array): Uint8Array {
  const order = bls12_381.fields.Fr.ORDER;
  return fromHex((order - BigInt(`0x${toHex(secretKey)}`)).toString(16).padStart(64, '0'));
}
