/** Signatures of validators' keys inside actions: facts of the bytes, each wrong one with its own code. */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { fromHex, type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  type Action,
  type AddValidator,
  asId,
  type BlockId,
  type Certify,
  type ChunkHeader,
  chunkHeaderCodec,
  chunkIdOf,
  chunkMessage,
  compressKey,
  compressSignature,
  consentMessage,
  createCredentialMemory,
  ed25519Account,
  epoch,
  GENESIS_EPOCH,
  type GenesisHash,
  height,
  proposalMessage,
  proposalStatementCodec,
  type Register,
  type ReportEquivocation,
  readyMessage,
  registrationMessage,
  type SessionChain,
  type StateDigest,
  type Subject,
  subjectCodec,
  subjectMessage,
  type Transaction,
  type TransactionBody,
  type ValidatorId,
  view,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { createAuthorityChecks } from '../src/index.ts';
import { createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '../src/native/index.ts';

const GENESIS_HASH = asId<GenesisHash>(sha256(utf8('genesis')));
const OTHER_CHAIN = asId<GenesisHash>(sha256(utf8('another')));
const signerOf = (name: string) => createBlsSigner(generateBlsSecretKey(sha256(utf8(name))));
const [alice, mallory] = [signerOf('alice'), signerOf('mallory')];
const OPERATOR = ed25519Account(sha256(utf8('operator')));
const STRANGER = ed25519Account(sha256(utf8('stranger')));
const peerKey = toHex(sha256(utf8('peer'))) as PeerKey;
const otherPeer = toHex(sha256(utf8('other peer'))) as PeerKey;
const KEYS = { blsPublicKey: alice.publicKey, peerKey };

const { verifier } = createInlineVerifier({
  committees: [{ epoch: GENESIS_EPOCH, publicKeys: [signerOf('member').publicKey] }],
});
/** Signatures of keys need no record. */
const chain: SessionChain = {
  genesisHash: GENESIS_HASH,
  recordOf: () => {
    throw new Error('no epoch has a record');
  },
};
const checks = createAuthorityChecks(verifier, chain, createCredentialMemory());

function transactionOf(actions: readonly Action[], changed: Partial<TransactionBody> = {}): Transaction {
  const fixed = { genesisHash: GENESIS_HASH, sender: OPERATOR, expiryMs: 1, salt: new Uint8Array(8), maxFee: 0n };
  return { body: { ...fixed, actions, ...changed }, auth: { scheme: 'ed25519', signature: new Uint8Array(64) } };
}

const verdictOf = async (actions: readonly Action[], changed?: Partial<TransactionBody>) =>
  (await checks.check(transactionOf(actions, changed), 'chunk', GENESIS_EPOCH)) ?? 'good';

const consentOf = (signer = alice, genesisHash = GENESIS_HASH, keys = KEYS, operator = OPERATOR) =>
  signer.signCompressed(consentMessage(genesisHash, keys, operator));

function adding(changed: Partial<AddValidator> = {}): Action {
  const change: AddValidator = {
    kind: 'addValidator',
    name: 'alice',
    weight: 1,
    address: 'alice:9000',
    ...KEYS,
    operator: OPERATOR,
    feeAccount: OPERATOR,
    consent: consentOf(),
    ...changed,
  };
  return { kind: 'propose', changes: [{ kind: 'setVersion', version: 2 }, change], notBeforeMs: 0 };
}

test('an addition carries the consent of the new key to this chain, network key and operator', async () => {
  expect(await verdictOf([adding()], { sender: STRANGER })).toBe('good');
  for (const wrong of [
    { consent: consentOf(mallory) },
    { consent: consentOf(alice, OTHER_CHAIN) },
    { peerKey: otherPeer },
    { operator: STRANGER },
    { blsPublicKey: mallory.publicKey },
    { blsPublicKey: new Uint8Array(48) },
    { consent: new Uint8Array(96) },
  ]) {
    expect(await verdictOf([adding(wrong)])).toBe('bad-possession');
  }
  expect(await verdictOf([adding()], { genesisHash: OTHER_CHAIN })).toBe('bad-possession');
});

test('a rotation carries the consent of the new key to the sender as operator', async () => {
  const rotate: Action = {
    kind: 'rotateKeys',
    ...KEYS,
    validatorId: sha256(utf8('id')) as ValidatorId,
    address: 'alice:9000',
    feeAccount: OPERATOR,
    consent: consentOf(),
  };
  expect(await verdictOf([rotate])).toBe('good');
  expect(await verdictOf([rotate], { sender: STRANGER })).toBe('bad-possession');
});

test('readiness is signed by the key, with its network key, epoch, version and artifacts', async () => {
  const said = { ...KEYS, epoch: 3, version: 2, artifacts: [new Uint8Array(32)] };
  const ready: Action = {
    kind: 'ready',
    ...said,
    signature: alice.signCompressed(readyMessage(GENESIS_HASH, said)),
  };
  expect(await verdictOf([ready], { sender: STRANGER })).toBe('good');
  for (const wrong of [
    { epoch: 4 },
    { version: 1 },
    { artifacts: [] },
    { peerKey: otherPeer },
    { blsPublicKey: mallory.publicKey },
  ]) {
    expect(await verdictOf([{ ...ready, ...wrong }])).toBe('bad-readiness');
  }
});

/** Coordinates of G1 as noble computes them, which no code of ours has a part in. */
const pointOf = (compressed: Uint8Array) => bls12_381.G1.Point.fromBytes(compressed);
const longOf = (compressed: Uint8Array) => pointOf(compressed).toBytes(false);

function registering(changed: Partial<Register> = {}, signer = alice, account = OPERATOR, genesisHash = GENESIS_HASH) {
  const blsKey = longOf(signer.publicKey);
  const proof = signer.signCompressed(registrationMessage(genesisHash, account, blsKey));
  return { kind: 'register', blsKey, proof, ...changed } as const;
}

/** Alice's key and a point of another order: the pairing does not see it, so only the group's check refuses alice's signature. */
function outsideTheGroup(): Uint8Array {
  const { Fp, Fr } = bls12_381.fields;
  for (let x = 1n; ; x++) {
    const square = Fp.create(x ** 3n + 4n);
    if (!Fp.eql(Fp.pow(square, (P - 1n) / 2n), 1n)) continue;
    let double = bls12_381.G1.Point.fromAffine({ x, y: Fp.sqrt(square) });
    let stranger = bls12_381.G1.Point.ZERO;
    for (let rest = Fr.ORDER; rest > 0n; rest >>= 1n) {
      if (rest & 1n) stranger = stranger.add(double);
      double = double.double();
    }
    if (stranger.equals(bls12_381.G1.Point.ZERO)) continue;
    const sum = pointOf(alice.publicKey).add(stranger).toAffine();
    return Uint8Array.from([...bigEndian(sum.x), ...bigEndian(sum.y)]);
  }
}

const P = bls12_381.fields.Fp.ORDER;
const bigEndian = (value: bigint) => fromHex(value.toString(16).padStart(96, '0'));

test('a registration carries the proof of its key for this account of this chain', async () => {
  expect(await verdictOf([registering()])).toBe('good');
  expect(await verdictOf([registering(), registering({}, mallory)])).toBe('good');
  const { proof } = registering();
  for (const [name, wrong] of Object.entries({
    'of another key': registering({ proof: registering({}, mallory).proof }),
    'for another account, copied': registering({}, alice, STRANGER),
    'for another chain, copied': registering({}, alice, OPERATOR, OTHER_CHAIN),
    'a consent of the same key': registering({ proof: consentOf() }),
    'no signature': registering({ proof: new Uint8Array(96) }),
    'the identity as signature': registering({ proof: fromHex(`c0${'00'.repeat(95)}`) }),
    'the negated key': registering({ blsKey: pointOf(alice.publicKey).negate().toBytes(false), proof }),
  })) {
    expect([name, await verdictOf([wrong])]).toEqual([name, 'bad-possession']);
  }
  expect(await verdictOf([registering()], { sender: STRANGER })).toBe('bad-possession');
  expect(await verdictOf([registering()], { genesisHash: OTHER_CHAIN })).toBe('bad-possession');
});

test('a registered key is a point of the group other than the identity, in its one form', async () => {
  const long = longOf(alice.publicKey);
  const [x, y] = [long.subarray(0, 48), long.subarray(48)];
  const outside = outsideTheGroup();
  const small = generatedSmall();
  for (const [name, blsKey] of Object.entries({
    'the identity': fromHex(`40${'00'.repeat(95)}`),
    zeros: new Uint8Array(96),
    'outside the group': outside,
    'off the curve': Uint8Array.from([...x, ...y.with(47, (y[47] as number) ^ 1)]),
    'compressed, padded': Uint8Array.from([...alice.publicKey, ...new Uint8Array(48)]),
    'with a flag': long.with(0, (long[0] as number) | 0x80),
    'with the flag of y': long.with(0, (long[0] as number) | 0x20),
    'x not reduced': Uint8Array.from([...bigEndian(small.x + P), ...bigEndian(small.y)]),
    'y not reduced': Uint8Array.from([...bigEndian(small.x), ...bigEndian(small.y + P)]),
  })) {
    const proof = alice.signCompressed(registrationMessage(GENESIS_HASH, OPERATOR, blsKey));
    expect([name, await verdictOf([registering({ blsKey, proof })])]).toEqual([name, 'bad-possession']);
  }
  const reduced = Uint8Array.from([...bigEndian(small.x), ...bigEndian(small.y)]);
  expect(compressKey(reduced)).toEqual(small.key);
});

/** A key whose coordinates leave room for another multiple of the field's order below the flags. */
function generatedSmall(): { readonly x: bigint; readonly y: bigint; readonly key: Uint8Array } {
  for (let i = 0; ; i++) {
    const key = signerOf(`small ${i}`).publicKey;
    const { x, y } = pointOf(key).toAffine();
    if (x + P < 2n ** 381n && y + P < 2n ** 381n) return { x, y, key };
  }
}

test('a key has one short and one long form', () => {
  for (let i = 0; i < 20; i++) {
    const { publicKey } = signerOf(`form ${i}`);
    expect(compressKey(longOf(publicKey))).toEqual(publicKey);
  }
});

const at = { epoch: GENESIS_EPOCH, view: view(7) };
const [ONE, TWO] = ['one', 'two'].map((name) => sha256(utf8(name))) as [BlockId, BlockId];
const certify: Certify = {
  kind: 'certify',
  ...at,
  height: height(6),
  blockId: ONE,
  stateDigest: ONE as Uint8Array as StateDigest,
};

function votes(first: Subject, second: Subject, signer = alice): ReportEquivocation {
  const signed = (subject: Subject) => ({
    statement: subjectCodec.encode(subject),
    signature: compressSignature(signer.sign(subjectMessage(GENESIS_HASH, subject))),
  });
  return {
    kind: 'reportEquivocation',
    type: 'votes',
    blsPublicKey: alice.publicKey,
    first: signed(first),
    second: signed(second),
  };
}

function proposalsOf(first: object, second: object): ReportEquivocation {
  const signed = (changed: object) => {
    const of = { ...at, kind: 'normal', blockId: ONE, ...changed } as Parameters<
      typeof proposalStatementCodec.encode
    >[0];
    const signature = alice.sign(proposalMessage(GENESIS_HASH, of, of.kind, of.blockId));
    return { statement: proposalStatementCodec.encode(of), signature: compressSignature(signature) };
  };
  return {
    kind: 'reportEquivocation',
    type: 'proposals',
    blsPublicKey: alice.publicKey,
    first: signed(first),
    second: signed(second),
  };
}

function chunks(first: Partial<ChunkHeader>, second: Partial<ChunkHeader>): ReportEquivocation {
  const signed = (changed: Partial<ChunkHeader>) => {
    const times = {
      createdMs: 1,
      expiryMs: 2,
      bodyHash: ONE,
      bodyBytes: 3,
      transactionCount: 1,
      batchCount: 0,
      rowCount: 0,
      units: [1, 1, 1, 1, 1],
      acksWanted: false,
    };
    const header: ChunkHeader = { epoch: GENESIS_EPOCH, producer: 0, sequence: 5, ...times, ...changed };
    const signature = alice.sign(chunkMessage(GENESIS_HASH, header.epoch, chunkIdOf(header)));
    return { statement: chunkHeaderCodec.encode(header), signature: compressSignature(signature) };
  };
  return {
    kind: 'reportEquivocation',
    type: 'chunks',
    blsPublicKey: alice.publicKey,
    first: signed(first),
    second: signed(second),
  };
}

const CONTRADICTIONS: readonly [string, ReportEquivocation][] = [
  ['two Notarize', votes({ kind: 'notarize', ...at, blockId: ONE }, { kind: 'notarize', ...at, blockId: TWO })],
  ['two Certify', votes(certify, { ...certify, blockId: TWO })],
  ['a Nullify and a Finalize', votes({ kind: 'nullify', ...at }, { kind: 'finalize', ...at, blockId: ONE })],
  ['two proposals of a kind', proposalsOf({}, { blockId: TWO })],
  ['two chunks of a sequence', chunks({}, { createdMs: 0 })],
];

test.each(CONTRADICTIONS)('evidence holds with %s, from anyone', async (_, report) => {
  expect(await verdictOf([report], { sender: STRANGER })).toBe('good');
});

test.each<[string, ReportEquivocation]>([
  ['the same vote twice', votes({ kind: 'nullify', ...at }, { kind: 'nullify', ...at })],
  ['a Notarize and a Nullify', votes({ kind: 'notarize', ...at, blockId: ONE }, { kind: 'nullify', ...at })],
  ['votes of two views', votes({ kind: 'nullify', ...at }, { kind: 'finalize', ...at, view: view(8), blockId: ONE })],
  [
    'votes of two epochs',
    votes({ kind: 'nullify', ...at }, { kind: 'finalize', ...at, epoch: epoch(1), blockId: ONE }),
  ],
  ['proposals of two kinds', proposalsOf({}, { kind: 'optimistic', blockId: TWO })],
  ['proposals of two views', proposalsOf({}, { view: view(8), blockId: TWO })],
  ['chunks of two sequences', chunks({}, { sequence: 6 })],
  ['a statement that does not decode', { ...votes(certify, certify), type: 'chunks' }],
])('no contradiction: %s', async (_, report) => {
  expect(await verdictOf([report])).toBe('no-contradiction');
});

test('evidence that another key signed is false, whichever of the two messages it is', async () => {
  const [first, second]: [Subject, Subject] = [
    { kind: 'nullify', ...at },
    { kind: 'finalize', ...at, blockId: ONE },
  ];
  expect(await verdictOf([votes(first, second, mallory)])).toBe('bad-evidence');
  const [real, forged] = [votes(first, second), votes(first, second, mallory)];
  expect(await verdictOf([{ ...real, second: forged.second }])).toBe('bad-evidence');
  expect(await verdictOf([{ ...real, first: forged.first }])).toBe('bad-evidence');
  expect(await verdictOf([real], { genesisHash: OTHER_CHAIN })).toBe('bad-evidence');
});

test('a compressed signature is the one that the key signs in compressed form', () => {
  for (let i = 0; i < 32; i++) {
    const message = sha256(utf8(`message ${i}`));
    expect(compressSignature(alice.sign(message))).toEqual(alice.signCompressed(message));
  }
});

test('false signatures cost their submitter its budget, true ones give it back', async () => {
  let tokens = 1;
  const budget = { take: () => tokens-- > 0, giveBack: () => void tokens++ };
  expect(await checks.check(transactionOf([adding()]), 'client', GENESIS_EPOCH, budget)).toBeUndefined();
  expect(await checks.check(transactionOf([adding({ operator: STRANGER })]), 'client', GENESIS_EPOCH, budget)).toBe(
    'bad-possession',
  );
  expect(await checks.check(transactionOf([adding()]), 'client', GENESIS_EPOCH, budget)).toBe('not-now');
});

test('a token pays for two signatures: the first false one ends the check', async () => {
  let asked = 0;
  const counting = createAuthorityChecks(
    {
      checkBatch(batch, priority) {
        asked += batch.length;
        return verifier.checkBatch(batch, priority);
      },
    },
    chain,
    createCredentialMemory(),
  );
  let tokens = 1;
  const budget = { take: () => tokens-- > 0, giveBack: () => void tokens++ };
  const [good, bad] = [adding(), adding({ operator: STRANGER })];
  const actions = [good, good, good, bad, bad, bad];
  expect(await counting.check(transactionOf(actions), 'client', GENESIS_EPOCH, budget)).toBe('bad-possession');
  expect(asked).toBe(4);
  expect(tokens).toBe(0);
  tokens = 1;
  expect(await counting.check(transactionOf([good, good, good]), 'client', GENESIS_EPOCH, budget)).toBeUndefined();
  expect(tokens).toBe(1);
});

test('a verifier that is full decides nothing', async () => {
  const full = createAuthorityChecks(
    { checkBatch: () => Promise.reject(new Error('full')) },
    chain,
    createCredentialMemory(),
  );
  let tokens = 1;
  const budget = { take: () => tokens-- > 0, giveBack: () => void tokens++ };
  await expect(full.check(transactionOf([adding()]), 'client', GENESIS_EPOCH, budget)).rejects.toThrow('full');
  expect(tokens).toBe(1);
});
