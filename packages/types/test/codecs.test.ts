import {
  ByteListType,
  ContainerType,
  createCodec,
  ListCompositeType,
  UintNumberType,
  VectorBasicType,
} from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import {
  asId,
  type BlockId,
  bitmapToSigners,
  blockCodec,
  blockIdOf,
  type Certificate,
  certificateCodec,
  decodeFrame,
  ed25519Account,
  encodeFrame,
  GENESIS_EPOCH,
  type GenesisHash,
  genesisBlock,
  signersToBitmap,
  type Transaction,
  transactionCodec,
  transactionIdOf,
  view,
} from '../src/index.ts';

const genesisHash = asId<GenesisHash>(new Uint8Array(32).fill(7));
const blockId = asId<BlockId>(new Uint8Array(32).fill(9));

function certificate(signers: readonly number[]): Certificate {
  return {
    subject: { kind: 'notarize', epoch: GENESIS_EPOCH, view: view(3), blockId },
    signers,
    aggregate: new Uint8Array(96).fill(1),
  };
}

function transaction(): Transaction {
  return {
    body: {
      genesisHash,
      sender: ed25519Account(new Uint8Array(32).fill(3)),
      expiryMs: 1_800_000_000_000,
      salt: new Uint8Array(8).fill(5),
      maxFee: 2n ** 64n - 1n,
      actions: [{ kind: 'transfer', to: ed25519Account(new Uint8Array(32).fill(4)), amount: 12n }],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64).fill(8) },
  };
}

describe('canonical codec', () => {
  const list = createCodec<{ items: Uint8Array[] }>(
    'list',
    new ContainerType({ items: new ListCompositeType(new ByteListType(4), 2) }),
    1000,
  );

  it('refuses more elements than the list allows, and longer elements', () => {
    const wide = createCodec<{ items: Uint8Array[] }>(
      'wide',
      new ContainerType({ items: new ListCompositeType(new ByteListType(100), 100) }),
      1000,
    );
    const three = wide.encode({ items: [1, 2, 3].map((n) => new Uint8Array([n])) });
    expect(list.decode(three).ok).toBe(false);
    const long = wide.encode({ items: [new Uint8Array(5)] });
    expect(list.decode(long).ok).toBe(false);
  });

  it('refuses to encode more elements than the list allows, or longer elements', () => {
    const three = [1, 2, 3].map((n) => new Uint8Array([n]));
    expect(() => list.encode({ items: three })).toThrow('a list of 3 elements, at most 2 are allowed');
    expect(() => list.encode({ items: [new Uint8Array(5)] })).toThrow('a list of 5 bytes, at most 4 are allowed');
    expect(list.decode(list.encode({ items: [new Uint8Array(4), new Uint8Array(0)] })).ok).toBe(true);
  });

  it('refuses integers beyond 2^53 - 1, also those that would encode back to the same bytes', () => {
    const number = createCodec<{ n: number }>('number', new ContainerType({ n: new UintNumberType(8) }), 8);
    const vectorType = new ContainerType({ n: new VectorBasicType(new UintNumberType(8), 1) });
    const vector = createCodec<{ n: number[] }>('vector', vectorType, 8);
    const bytes = new Uint8Array(8);
    const write = (value: bigint) => new DataView(bytes.buffer).setBigUint64(0, value, true);
    for (const value of [2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 63n, 2n ** 64n - 2_048n, 2n ** 64n - 1n]) {
      write(value);
      const why = { ok: false, error: { code: 'malformed', message: expect.stringContaining('above 2^53 - 1') } };
      expect(number.decode(bytes)).toMatchObject(why);
      expect(vector.decode(bytes)).toMatchObject(why);
    }
    write(2n ** 53n - 1n);
    expect(number.decode(bytes)).toEqual({ ok: true, value: { n: 2 ** 53 - 1 } });
    expect(vector.decode(bytes)).toEqual({ ok: true, value: { n: [2 ** 53 - 1] } });
  });

  it('refuses every single-byte truncation and extension of a transaction', () => {
    const bytes = transactionCodec.encode(transaction());
    for (let length = 0; length < bytes.length; length++) {
      expect(transactionCodec.decode(bytes.subarray(0, length)).ok).toBe(false);
    }
    const decoded = transactionCodec.decode(bytes);
    expect(decoded).toEqual({ ok: true, value: transaction() });
  });

  it('never throws on a transaction with any bit flipped, and re-encodes what it accepts', () => {
    const bytes = transactionCodec.encode(transaction());
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      const decoded = transactionCodec.decode(flipped);
      if (decoded.ok) expect(transactionCodec.encode(decoded.value)).toEqual(flipped);
    }
  });
});

describe('types', () => {
  it('gives a transaction an id that does not depend on its signature', () => {
    const first = transaction();
    const second = { ...first, auth: { scheme: 'ed25519', signature: new Uint8Array(64) } as const };
    expect(transactionIdOf(first.body)).toEqual(transactionIdOf(second.body));
    expect(transactionIdOf({ ...first.body, maxFee: 1n })).not.toEqual(transactionIdOf(first.body));
  });

  it('has one bitmap for each set of signers', () => {
    for (const signers of [[], [0], [7], [8], [0, 1, 2, 1023]]) {
      expect(bitmapToSigners(signersToBitmap(signers))).toEqual(signers);
    }
    expect(() => bitmapToSigners(new Uint8Array([1, 0]))).toThrow();
    expect(() => signersToBitmap([2, 1])).toThrow();
  });

  it('round-trips a certificate and a consensus frame', () => {
    const decoded = certificateCodec.decode(certificateCodec.encode(certificate([0, 2, 3])));
    expect(decoded).toEqual({ ok: true, value: certificate([0, 2, 3]) });
    const frame = encodeFrame('consensus', { certificates: [certificate([1])], votes: [], confirmations: [] });
    expect(decodeFrame(frame)).toEqual({
      ok: true,
      value: { name: 'consensus', value: { certificates: [certificate([1])], votes: [], confirmations: [] } },
    });
    expect(decodeFrame(new Uint8Array([200, 1, 2])).ok).toBe(false);
    expect(decodeFrame(new Uint8Array(0)).ok).toBe(false);
  });

  it('refuses a subject with a field that its kind does not have', () => {
    const bytes = certificateCodec.encode({
      subject: { kind: 'nullify', epoch: GENESIS_EPOCH, view: view(3) },
      signers: [1],
      aggregate: new Uint8Array(96),
    });
    const withBlock = bytes.slice();
    // the subject comes first: kind 1, epoch 4, view 8, height 8, block id
    withBlock[21] = 1;
    expect(certificateCodec.decode(bytes).ok).toBe(true);
    expect(certificateCodec.decode(withBlock).ok).toBe(false);
  });

  it('names blocks by their whole header', () => {
    const genesis = genesisBlock(genesisHash, 1000);
    expect(blockCodec.decode(blockCodec.encode(genesis))).toEqual({ ok: true, value: genesis });
    expect(blockIdOf(genesis)).not.toEqual(blockIdOf({ ...genesis, timestampMs: 1001 }));
  });
});
