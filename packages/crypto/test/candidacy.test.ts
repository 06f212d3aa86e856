import { toHex } from '@slipstream/primitives';
import { candidacyFromJson, candidacyMessage, candidacyToJson } from '@slipstream/types';
import { expect, test } from 'vitest';
import { badSignatures, createBlsSigner, generateBlsSecretKey, signCandidacy } from '../src/native/index.ts';

const bls = createBlsSigner(generateBlsSecretKey(new Uint8Array(32).fill(1)));
const peerSeed = new Uint8Array(32).fill(2);
const wishes = { chain: 'consortium', name: 'alice', validator: { address: 'alice.example.org:9000', weight: 3 } };
const validator = signCandidacy(wishes, { peerSeed, bls });
const fullNode = signCandidacy({ ...wishes, validator: undefined }, { peerSeed, bls: undefined });

test.for([
  ['validator', validator],
  ['full node', fullNode],
] as const)('the candidacy of a %s survives a round trip through its file, and is valid', ([, candidacy]) => {
  const read = candidacyFromJson(JSON.parse(JSON.stringify(candidacyToJson(candidacy))));
  expect(read).toEqual({ ok: true, value: candidacy });
  expect(badSignatures(candidacy)).toEqual([]);
});

test('the signed bytes are pinned: candidacies that operators have exchanged stay valid', () => {
  expect([validator, fullNode].map((each) => toHex(candidacyMessage(each)))).toEqual([
    '410bcdb333b979efb0dbd10bacf15aa71b025d23900d54771f4b88a42f03f1eb',
    'a21b947275cda18a923dc0213595b7c5249d683b0627b6578b93eb0f2e3ea4de',
  ]);
});

test('a signature covers every field, and nothing else', () => {
  const signed = ['blsSignature', 'peerSignature'];
  const other = createBlsSigner(generateBlsSecretKey(new Uint8Array(32).fill(3)));
  const terms = validator.validator;
  if (terms === undefined) throw new Error('a validator');
  expect(badSignatures({ ...validator, chain: 'elsewhere' })).toEqual(signed);
  expect(badSignatures({ ...validator, name: 'bob' })).toEqual(signed);
  expect(badSignatures({ ...validator, validator: { ...terms, weight: 4 } })).toEqual(signed);
  expect(badSignatures({ ...validator, validator: { ...terms, address: 'b:1' } })).toEqual(signed);
  expect(badSignatures({ ...validator, validator: { ...terms, proofOfPossession: other.proveOwnership() } })).toEqual([
    'proofOfPossession',
    ...signed,
  ]);
  expect(badSignatures({ ...validator, validator: undefined })).toEqual(['peerSignature']);
  expect(badSignatures({ ...validator, blsSignature: undefined })).toEqual(['blsSignature']);
});
