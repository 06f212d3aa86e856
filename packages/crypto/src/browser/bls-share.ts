/**
 * BLS signatures of clients that sign while a broker waits: by mcl in WebAssembly, eight times as fast as JavaScript (decision 0062), or
 * by JavaScript where a page's policy allows no WebAssembly. Both give the same bytes.
 *
 *   first load --> may this page compile? --yes--> load, known answer right? --yes--> WebAssembly
 *                           \--no------------------------------\--no--> JavaScript
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { fromHex, sha256, toHex } from '@slipstream/primitives';
import { BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { blsSignUncompressed, checkSecret } from './bls-key.ts';
import { loadMcl, type Mcl } from './mcl.ts';

interface ShareSigning {
  readonly by: 'webassembly' | 'javascript';
  /** 192 bytes, uncompressed. `message`: 32 bytes. Throws CryptoError `invalid-secret-key`. */
  readonly sign: (message: Uint8Array, secret: Uint8Array) => Uint8Array;
}

const javascript: ShareSigning = { by: 'javascript', sign: blsSignUncompressed };

let loading: Promise<ShareSigning> | undefined;

export function loadShareSigning(): Promise<ShareSigning> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ShareSigning> {
  const mcl = await loadMcl();
  if (mcl === undefined) return javascript;
  const signing = signingBy(mcl);
  return isRight(signing) ? signing : javascript;
}

function signingBy(mcl: Mcl): ShareSigning {
  return {
    by: 'webassembly',
    sign(message, secret) {
      const key = new mcl.SecretKey();
      key.deserialize(checkSecret(secret));
      const signature = key.sign(message).serializeUncompressed();
      key.clear();
      return signature;
    },
  };
}

/** A library of another scheme or version would only be noticed by the broker, as false shares. */
function isRight({ sign }: ShareSigning): boolean {
  const signature = sign(new Uint8Array(32).fill(7), new Uint8Array(32).fill(1));
  return signature.length === BLS_SIGNATURE_BYTES && toHex(sha256(signature)) === KNOWN_ANSWER;
}

/** SHA-256 of the signature, by blst. */
const KNOWN_ANSWER = '54be329e66be25e5abe7cd9e6faa0a12f01a25aa31bbcfd1addbd7c80bcd83f8';

/** As a number, for blsSecretSum. Throws CryptoError `invalid-secret-key`. */
export function blsSecretNumber(secret: Uint8Array): bigint {
  return BigInt(`0x${toHex(checkSecret(secret))}`);
}

/**
 * Secret whose signature is the sum of those by the secrets, 32 bytes. Throws CryptoError `invalid-secret-key` if they cancel each other.
 */
export function blsSecretSum(secrets: Iterable<bigint>): Uint8Array {
  let sum = 0n;
  for (const secret of secrets) sum += secret;
  return checkSecret(fromHex((sum % bls12_381.fields.Fr.ORDER).toString(16).padStart(64, '0')));
}

/** 192 bytes to 96, as in aggregates. Throws for bytes that are no point of the curve. */
export function compressBlsSignature(signature: Uint8Array): Uint8Array {
  return bls12_381.G2.Point.fromBytes(signature).toBytes(true);
}
