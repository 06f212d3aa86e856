/** Arithmetic on encoded points, for tests of attackers and for brokers in tests. */
import blst from '@chainsafe/blst';

/** In a compressed point's first byte: which of the two roots. */
const SIGN_FLAG = 0x20;

export function sumCompressed(signatures: readonly Uint8Array[]): Uint8Array {
  const points = signatures.map((bytes) => blst.Signature.fromBytes(bytes, true));
  return new Uint8Array(blst.aggregateSignatures(points).toBytes(true));
}

/** A compressed point's inverse. */
export function negated(point: Uint8Array): Uint8Array {
  const inverse = point.slice();
  inverse[0] = (inverse[0] as number) ^ SIGN_FLAG;
  return inverse;
}

export function uncompressedKey(publicKey: Uint8Array): Uint8Array {
  return new Uint8Array(blst.PublicKey.fromBytes(publicKey, true).toBytes(false));
}

/** As a share has it. */
export function sumUncompressed(signatures: readonly Uint8Array[]): Uint8Array {
  const points = signatures.map((bytes) => blst.Signature.fromBytes(bytes, true));
  return new Uint8Array(blst.aggregateSignatures(points).toBytes(false));
}
