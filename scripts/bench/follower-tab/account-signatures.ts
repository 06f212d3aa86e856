/**
 * Ed25519 of accounts by the platform's own implementation (Web Cryptography). It refuses S >= L and compares without the cofactor, as
 * libsodium does; small-order keys and points, and keys that are not canonical, are refused here (S1).
 *
 * Source: RFC 8032, 5.1.3; Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs", 2020.
 */
import type { AccountSignature } from '@slipstream/ports';
import { fromHex, toHex } from '@slipstream/primitives';
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from '@slipstream/types';
import type { CheckAccounts } from './read-chunk.ts';

const ALGORITHM = 'Ed25519';
/** Senders come again, and to import a key costs half as much as to verify. */
const KEYS_MAX = 16_384;

type Bytes = Uint8Array<ArrayBuffer>;

/** Undefined: this platform does not have it. */
export async function createAccountChecks(subtle = globalThis.crypto.subtle): Promise<CheckAccounts | undefined> {
  const keys = new Map<string, ReturnType<typeof importKey>>();
  const importKey = (bytes: Uint8Array) => subtle.importKey('raw', bytes as Bytes, ALGORITHM, false, ['verify']);

  function keyOf(bytes: Uint8Array): ReturnType<typeof importKey> {
    const name = toHex(bytes);
    const known = keys.get(name);
    if (known !== undefined) return known;
    if (keys.size >= KEYS_MAX) keys.clear();
    const key = importKey(bytes);
    keys.set(name, key);
    return key;
  }

  async function holds({ publicKey, message, signature }: AccountSignature): Promise<boolean> {
    if (!isJudged(publicKey, signature)) return false;
    try {
      return await subtle.verify(ALGORITHM, await keyOf(publicKey), signature as Bytes, message as Bytes);
    } catch {
      return false; // no point of the curve
    }
  }

  const check: CheckAccounts = (batch) => Promise.all(batch.map(holds));
  const [isRight, isWrong] = await check([KNOWN, { ...KNOWN, message: new Uint8Array(32).fill(2) }]);
  return isRight === true && isWrong === false ? check : undefined;
}

function isJudged(publicKey: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== ED25519_PUBLIC_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES) return false;
  return isCanonical(publicKey) && !isSmallOrder(publicKey) && !isSmallOrder(signature.subarray(0, 32));
}

/** The coordinate is below p = 2^255 - 19. */
function isCanonical(point: Uint8Array): boolean {
  if (((point[31] as number) & 0x7f) !== 0x7f) return true;
  for (let i = 30; i > 0; i--) if (point[i] !== 0xff) return true;
  return (point[0] as number) < 0xed;
}

/** y of the points whose eighth multiple is zero, without the sign of x; p and p + 1 are other forms of 0 and 1. */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

function isSmallOrder(point: Uint8Array): boolean {
  const y = point.slice();
  y[31] = (y[31] as number) & 0x7f;
  return SMALL_ORDER.has(toHex(y));
}

/** Of the seed 0x01 01 ... 01, of 32 bytes 0x01. */
const KNOWN: AccountSignature = {
  publicKey: fromHex('8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c'),
  message: new Uint8Array(32).fill(1),
  signature: fromHex(
    '0a6c9bbfe97b5b81afa47b53663a61874993e0fc90795a2465d011cf42cf6d350daa5aefc5fcfbf78e7b1d48ab69fa7468ff8a59c9cb59b535fe7b12c81b4906',
  ),
};
