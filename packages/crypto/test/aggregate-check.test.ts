/** Aggregates by WebAssembly, by JavaScript and by blst: of the same bytes all say the same. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { fromHex, sha256, toHex, uint32le, utf8 } from '@slipstream/primitives';
import mcl from 'bls-eth-wasm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type AggregateCheck,
  blsSecretNumber,
  blsSecretSum,
  blsSign,
  type CertificateAggregate,
  createAggregateCheck,
  loadAggregateCheck,
} from '../src/browser/index.ts';
import { createBlsSigner, generateBlsSecretKey } from '../src/native/index.ts';

const MESSAGE = sha256(utf8('a state'));
const secrets = [0, 1, 2].map((i) => generateBlsSecretKey(sha256(uint32le(i))));
const keyOf = (secret: Uint8Array) => createBlsSigner(secret).publicKey;
const order = bls12_381.fields.Fr.ORDER;
const prime = bls12_381.fields.Fp.ORDER;
const good: CertificateAggregate = {
  publicKeys: secrets.map(keyOf),
  message: MESSAGE,
  aggregate: blsSign(MESSAGE, blsSecretSum(secrets.map(blsSecretNumber))),
};

let checks: readonly AggregateCheck[] = [];
beforeAll(async () => {
  checks = [await loadAggregateCheck(), createAggregateCheck()];
  expect(checks.map(({ by }) => by)).toEqual(['webassembly', 'javascript']);
});

const verdicts = (change: Partial<CertificateAggregate>) => checks.map(({ verify }) => verify({ ...good, ...change }));
const NEITHER = [false, false];

test('what holds holds by both, again with keys that are known', () => {
  expect([verdicts({}), verdicts({})]).toEqual([
    [true, true],
    [true, true],
  ]);
});

test('another message, other signers, and the same signer twice do not hold', () => {
  const [first, ...others] = good.publicKeys as [Uint8Array, ...Uint8Array[]];
  expect(verdicts({ message: sha256(utf8('another')) })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: others })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: [first, ...good.publicKeys] })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: [] })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: new Array(1025).fill(first) })).toEqual(NEITHER);
});

test('no flipped bit of the aggregate holds', () => {
  for (let bit = 0; bit < 96 * 8; bit += 91) {
    const aggregate = good.aggregate.slice();
    aggregate[bit >> 3] = (aggregate[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(verdicts({ aggregate })).toEqual(NEITHER);
  }
});

test('keys that cancel each other hold nothing, nor does zero', () => {
  const secret = secrets[0] as Uint8Array;
  const inverse = fromHex((order - blsSecretNumber(secret)).toString(16).padStart(64, '0'));
  const zeroKey = new Uint8Array(48).fill(0xc0, 0, 1);
  const zero = new Uint8Array(96).fill(0xc0, 0, 1);
  expect(verdicts({ publicKeys: [keyOf(secret), keyOf(inverse)], aggregate: zero })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: [keyOf(secret), keyOf(inverse)] })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: [zeroKey], aggregate: zero })).toEqual(NEITHER);
  expect(verdicts({ publicKeys: [...good.publicKeys, zeroKey] })).toEqual(NEITHER);
});

describe('bytes of one point have one form', () => {
  const changed = (bytes: Uint8Array, at: number, value: number) => {
    const copy = bytes.slice();
    copy[at] = value;
    return copy;
  };
  const zero = (length: number) => new Uint8Array(length).fill(0xc0, 0, 1);

  test.each([47, 49, 0, 96])('a key of %i bytes is refused', (length) => {
    expect(verdicts({ publicKeys: [new Uint8Array(length).fill(0x80, 0, 1)] })).toEqual(NEITHER);
  });

  test.each([95, 97, 0, 192])('an aggregate of %i bytes is refused', (length) => {
    expect(verdicts({ aggregate: new Uint8Array(length).fill(0x80, 0, 1) })).toEqual(NEITHER);
  });

  test('other flags, and zero with other bits, are refused', () => {
    const [key] = good.publicKeys as [Uint8Array];
    for (const flags of [0x00, 0x40, 0x60, 0xe0]) {
      expect(verdicts({ publicKeys: [changed(key, 0, ((key[0] as number) & 0x1f) | flags)] })).toEqual(NEITHER);
      expect(
        verdicts({ aggregate: changed(good.aggregate, 0, ((good.aggregate[0] as number) & 0x1f) | flags) }),
      ).toEqual(NEITHER);
    }
    expect(verdicts({ publicKeys: [changed(zero(48), 47, 1), ...good.publicKeys] })).toEqual(NEITHER);
    expect(verdicts({ publicKeys: [changed(zero(48), 0, 0xe0), ...good.publicKeys] })).toEqual(NEITHER);
    expect(verdicts({ aggregate: changed(zero(96), 95, 1) })).toEqual(NEITHER);
  });

  test('a coordinate that was not reduced is refused', () => {
    // The first secret whose key's coordinate, with the prime added, still fits in 381 bits.
    for (let i = 1n; ; i++) {
      const key = keyOf(fromHex(i.toString(16).padStart(64, '0')));
      const flags = (key[0] as number) & 0xe0;
      const x = BigInt(`0x${toHex(changed(key, 0, (key[0] as number) & 0x1f))}`) + prime;
      if (x >> 381n !== 0n) continue;
      const bytes = fromHex(x.toString(16).padStart(96, '0'));
      expect(verdicts({ publicKeys: [changed(bytes, 0, (bytes[0] as number) | flags)] })).toEqual(NEITHER);
      return;
    }
  });
});

describe('points of the curve outside the group', () => {
  /** Found by the library that reads them when it is not asked to refuse them. */
  function outside(length: 48 | 96): readonly Uint8Array[] {
    mcl.verifyPublicKeyOrder(false);
    mcl.verifySignatureOrder(false);
    const found: Uint8Array[] = [];
    for (let x = 0; found.length < 3 && x < 256; x++) {
      const bytes = new Uint8Array(length).fill(0x80, 0, 1).fill(x, length - 1);
      const point = length === 48 ? new mcl.PublicKey() : new mcl.Signature();
      try {
        point.deserialize(bytes);
      } catch {
        continue;
      }
      if (!point.isValidOrder()) found.push(bytes);
    }
    expect(found).toHaveLength(3);
    return found;
  }

  test('are refused as keys', () => {
    for (const key of outside(48)) {
      expect(verdicts({ publicKeys: [key] })).toEqual(NEITHER);
      expect(verdicts({ publicKeys: [...good.publicKeys, key] })).toEqual(NEITHER);
    }
  });

  test('are refused as aggregates, also beside the right signature', () => {
    const G2 = bls12_381.G2.Point;
    for (const bytes of outside(96)) {
      expect(verdicts({ aggregate: bytes })).toEqual(NEITHER);
      const point = mclPoint(bytes);
      expect(compressed(point)).toEqual(bytes);
      const shifted = G2.fromBytes(good.aggregate).add(point.multiplyUnsafe(order - 1n).add(point));
      expect(verdicts({ aggregate: compressed(shifted) })).toEqual(NEITHER);
    }
    /** The library compresses points of the group alone. */
    function compressed(point: InstanceType<typeof G2>): Uint8Array {
      const { x, y } = point.toAffine();
      const isLarger = 2n * (y.c1 === 0n ? y.c0 : y.c1) > prime;
      const bytes = fromHex([x.c1, x.c0].map((part) => part.toString(16).padStart(96, '0')).join(''));
      bytes[0] = (bytes[0] as number) | (isLarger ? 0xa0 : 0x80);
      return bytes;
    }
    function mclPoint(bytes: Uint8Array) {
      const point = new mcl.Signature();
      point.deserialize(bytes);
      const uncompressed = point.serializeUncompressed();
      const at = (i: number) => BigInt(`0x${toHex(uncompressed.subarray(i, i + 48))}`);
      return G2.fromAffine({
        x: bls12_381.fields.Fp2.fromBigTuple([at(48), at(0)]),
        y: bls12_381.fields.Fp2.fromBigTuple([at(144), at(96)]),
      });
    }
  });
});

test('where WebAssembly is forbidden, JavaScript verifies', async () => {
  vi.resetModules();
  vi.stubGlobal('WebAssembly', { compile: () => Promise.reject(new Error('blocked by policy')) });
  try {
    const fresh = await import('../src/browser/aggregate-check.ts');
    const check = await fresh.loadAggregateCheck();
    expect(check.by).toBe('javascript');
    expect(check.verify(good)).toBe(true);
  } finally {
    vi.unstubAllGlobals();
  }
});

test('a library that holds everything, or nothing, is not taken', async () => {
  for (const verdict of [true, false]) {
    vi.resetModules();
    vi.doMock('bls-eth-wasm', () => ({ default: broken(verdict) }));
    try {
      const fresh = await import('../src/browser/aggregate-check.ts');
      expect((await fresh.loadAggregateCheck()).by).toBe('javascript');
    } finally {
      vi.doUnmock('bls-eth-wasm');
    }
  }
});

function broken(verdict: boolean) {
  class Point {
    deserialize() {}
    isZero = () => false;
    isValidOrder = () => true;
    clone = () => new Point();
    add() {}
    verify = () => verdict;
  }
  return {
    init: async () => {},
    verifyPublicKeyOrder() {},
    verifySignatureOrder() {},
    BLS12_381: 5,
    PublicKey: Point,
    Signature: Point,
  };
}
