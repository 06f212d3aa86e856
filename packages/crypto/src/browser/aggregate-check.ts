/**
 * Aggregates of certificates, verified by mcl in WebAssembly where the page's policy allows it, else in JavaScript (decision 0068). Both say
 * the same of the same bytes.
 *
 *   keys of the signers --each once, then remembered--> points of the group --> their sum \
 *   aggregate --> point of the group -----------------------------------------------------> pairing --> holds or not
 *
 * A key is remembered by its bytes, after the check that its point is in the group and not zero.
 */
import { fromHex, toHex } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES, COMMITTEE_MEMBERS_MAX } from '@slipstream/types';
import { type CertificateAggregate, type KeyPoint, keyPoint, signatureHolds } from './certificate.ts';
import { loadMcl, type Mcl } from './mcl.ts';

export interface AggregateCheck {
  readonly by: 'webassembly' | 'javascript';
  /** Also false for malformed input. */
  readonly verify: (aggregate: CertificateAggregate) => boolean;
}

/** What a library makes of the checks. All may throw for bytes that are no point. */
interface Library<Key> {
  readonly by: AggregateCheck['by'];
  /** Undefined: not in the group, or zero. */
  key(bytes: Uint8Array): Key | undefined;
  holds(keys: readonly Key[], message: Uint8Array, aggregate: Uint8Array): boolean;
}

/** Two committees of the largest size: at an epoch boundary both are in use. */
const KEYS_MAX = 2 * COMMITTEE_MEMBERS_MAX;

export function createAggregateCheck(): AggregateCheck {
  return checkBy(javascript);
}

/** A new one, with WebAssembly if it loads and gives right answers. */
export async function loadAggregateCheck(): Promise<AggregateCheck> {
  const mcl = await loadMcl();
  const check = mcl === undefined ? undefined : checkBy(webAssembly(mcl));
  return check !== undefined && isRight(check) ? check : createAggregateCheck();
}

function checkBy<Key>(library: Library<Key>): AggregateCheck {
  const known = new Map<string, Key>();

  function keyOf(bytes: Uint8Array): Key | undefined {
    if (bytes.length !== BLS_PUBLIC_KEY_BYTES) return undefined;
    const name = toHex(bytes);
    const found = known.get(name);
    if (found !== undefined) return found;
    const key = library.key(bytes);
    if (key === undefined) return undefined;
    if (known.size >= KEYS_MAX) known.clear();
    known.set(name, key);
    return key;
  }

  return {
    by: library.by,
    verify({ publicKeys, message, aggregate }) {
      if (publicKeys.length === 0 || publicKeys.length > COMMITTEE_MEMBERS_MAX) return false;
      if (aggregate.length !== BLS_AGGREGATE_BYTES) return false;
      try {
        const keys: Key[] = [];
        for (const bytes of publicKeys) {
          const key = keyOf(bytes);
          if (key === undefined) return false;
          keys.push(key);
        }
        return library.holds(keys, message, aggregate);
      } catch {
        return false;
      }
    },
  };
}

const javascript: Library<KeyPoint> = {
  by: 'javascript',
  key(bytes) {
    const point = keyPoint(bytes);
    return point.is0() ? undefined : point;
  },
  holds: signatureHolds,
};

/** The library reads zero also with other bits set. Its own check of the group is off: that is done here, once and for sure. */
function webAssembly(mcl: Mcl): Library<InstanceType<Mcl['PublicKey']>> {
  mcl.verifyPublicKeyOrder(false);
  mcl.verifySignatureOrder(false);
  const isPoint = (point: { isValidOrder(): boolean; isZero(): boolean }) => !point.isZero() && point.isValidOrder();
  return {
    by: 'webassembly',
    key(bytes) {
      const key = new mcl.PublicKey();
      key.deserialize(bytes);
      return isPoint(key) ? key : undefined;
    },
    holds(keys, message, aggregate) {
      const signature = new mcl.Signature();
      signature.deserialize(aggregate);
      if (!isPoint(signature)) return false;
      const sum = (keys[0] as (typeof keys)[number]).clone();
      for (const key of keys.slice(1)) sum.add(key);
      return !sum.isZero() && sum.verify(signature, message);
    },
  };
}

/** A library of another scheme or version would refuse what holds; a broken one might hold what does not. */
function isRight({ verify }: AggregateCheck): boolean {
  const message = new Uint8Array(32).fill(7);
  const known = { publicKeys: [fromHex(KNOWN_KEY)], message, aggregate: fromHex(KNOWN_SIGNATURE) };
  return verify(known) && !verify({ ...known, message: new Uint8Array(32).fill(8) });
}

/** Of the secret 0x01 01 ... 01, by blst; the signature is of 32 bytes 0x07. */
const KNOWN_KEY = 'aa1a1c26055a329817a5759d877a2795f9499b97d6056edde0eea39512f24e8bc874b4471f0501127abb1ea0d9f68ac1';
const KNOWN_SIGNATURE =
  'b00a4d143a1f95c5c5aad9b87b01657dd1f160280c6160e08698fe9a4c11ed2a0eab769d238ddc074d2096ceb8ca5d4e0f4202f768eea30b02eb89729df43a69845e92f2709a3c03c2bc345b320631240b9528590a11bfa4a4c7762e9c830d23';
