import { concatBytes } from '@slipstream/primitives';
import { type Candidacy, candidacyToJson } from '@slipstream/types';
import { expect, test } from 'vitest';
import { checkCandidacies } from '../src/folder/check-candidacies.ts';
import { blsSigner, fullNodeCandidacy, validatorCandidacy } from './candidacies.ts';

const alice = validatorCandidacy('alice');
const bob = validatorCandidacy('bob', { weight: 3 });

type Json = Readonly<Record<string, unknown>>;

function check(...candidacies: readonly (Candidacy | Json)[]) {
  const sources = candidacies.map((each, at) => ({
    file: `${at}.json`,
    json:
      'peerSignature' in each && each.peerSignature instanceof Uint8Array ? candidacyToJson(each as Candidacy) : each,
  }));
  return checkCandidacies(sources, { chain: 'consortium', place: 'folder' });
}

function faultsOf(...candidacies: readonly (Candidacy | Json)[]) {
  return check(...candidacies).faults.map(({ code, file, field }) => ({ code, file, field }));
}

test('valid candidacies are sorted by name, validators first, whatever their file names', () => {
  const { candidacies, faults } = check(bob, fullNodeCandidacy('aaron'), alice);
  expect(faults).toEqual([]);
  expect(candidacies.map(({ name }) => name)).toEqual(['alice', 'bob', 'aaron']);
});

test('a rogue key is refused: it cannot sign, and the proof of another key is not valid for it', () => {
  const [mine, theirs] = [validatorCandidacy('mallory'), alice];
  const rogue = {
    ...candidacyToJson(mine),
    blsPublicKey: candidacyToJson(theirs).blsPublicKey,
    proofOfPossession: candidacyToJson(mine).proofOfPossession,
  };
  expect(faultsOf(bob, rogue)).toEqual([
    { code: 'bad-proof', file: '1.json', field: 'proofOfPossession' },
    { code: 'bad-signature', file: '1.json', field: 'blsSignature' },
    { code: 'bad-signature', file: '1.json', field: 'peerSignature' },
  ]);
});

test('an invalid proof of possession is refused, though the key signed all other fields', () => {
  const [bls, other] = [blsSigner(), blsSigner()];
  const lying = { ...bls, proveOwnership: () => other.proveOwnership() };
  expect(faultsOf(validatorCandidacy('mallory', { bls: lying }))).toEqual([
    { code: 'bad-proof', file: '0.json', field: 'proofOfPossession' },
  ]);
});

test.for([
  'proofOfPossession',
  'blsSignature',
  'peerSignature',
  'blsPublicKey',
  'peerKey',
  'address',
  'weight',
  'name',
])('a file without its %s is reported as malformed, with file and field', (field) => {
  const { [field]: _, ...rest } = candidacyToJson(alice);
  expect(faultsOf(bob, rest)).toEqual([{ code: 'malformed', file: '1.json', field }]);
});

test.for([
  ['proofOfPossession', `0x${'c0'.padEnd(384, '0')}`, 'bad-proof'],
  ['blsPublicKey', `0x${'c0'.padEnd(96, '0')}`, 'bad-proof'],
  ['blsPublicKey', '0x12', 'malformed'],
  ['weight', 0, 'malformed'],
  ['weight', 10_001, 'malformed'],
  ['address', 'alice', 'malformed'],
  ['address', 'alice:0', 'malformed'],
  ['address', 'alice:65536', 'malformed'],
  ['address', 'Alice:9000', 'malformed'],
  ['address', 'alice:9000\nevil: yes', 'malformed'],
  ['name', 'Alice', 'malformed'],
  ['name', '../alice', 'malformed'],
  ['role', 'observer', 'malformed'],
  ['chain', 'Not A Chain', 'malformed'],
] as const)('%s %j is refused: %s', ([field, value, code]) => {
  expect(faultsOf({ ...candidacyToJson(alice), [field]: value })).toContainEqual({
    code,
    file: '0.json',
    field: field === 'blsPublicKey' && code === 'bad-proof' ? 'proofOfPossession' : field,
  });
});

test.for([null, 7, 'text', [], {}])('a file that is no candidacy is refused: %j', (json) => {
  const { faults } = checkCandidacies([{ file: 'a', json }], { chain: 'consortium', place: 'folder' });
  expect(faults.map(({ code }) => code)).toContain('malformed');
});

test('a candidacy for another chain is refused, also with its chain renamed', () => {
  const elsewhere = validatorCandidacy('eve', { chain: 'elsewhere' });
  expect(faultsOf(alice, elsewhere)).toEqual([{ code: 'other-chain', file: '1.json', field: 'chain' }]);
  expect(faultsOf(alice, { ...candidacyToJson(elsewhere), chain: 'consortium' })).toEqual([
    { code: 'bad-signature', file: '1.json', field: 'blsSignature' },
    { code: 'bad-signature', file: '1.json', field: 'peerSignature' },
  ]);
});

test.for(['weight', 'address', 'name'])('a %s that its owner did not sign is refused', (field) => {
  const changed = { ...candidacyToJson(alice), [field]: { weight: 100, address: 'evil:9000', name: 'evil' }[field] };
  expect(faultsOf(changed).map(({ field: named }) => named)).toEqual(['blsSignature', 'peerSignature']);
});

test('duplicates of name, address, network key or BLS key are refused, among full nodes too', () => {
  const [bls, peerSeed] = [blsSigner(), new Uint8Array(32).fill(7)];
  const first = validatorCandidacy('first', { bls, peerSeed, address: 'one:9000' });
  const twice = (candidacy: Candidacy) => faultsOf(first, candidacy);
  const duplicateOf = (field: string) => [{ code: 'duplicate', file: '1.json', field }];
  expect(twice(validatorCandidacy('first'))).toEqual(duplicateOf('name'));
  expect(twice(validatorCandidacy('second', { address: 'one:9000' }))).toEqual(duplicateOf('address'));
  expect(twice(validatorCandidacy('second', { peerSeed }))).toEqual(duplicateOf('peerKey'));
  expect(twice(validatorCandidacy('second', { bls }))).toEqual(duplicateOf('blsPublicKey'));
  expect(twice(fullNodeCandidacy('second', peerSeed))).toEqual(duplicateOf('peerKey'));
  expect(twice(fullNodeCandidacy('first'))).toEqual(duplicateOf('name'));
});

test('more validators than a committee may have are refused before any signature is judged', () => {
  const key = (at: number, length: number) =>
    concatBytes(new Uint8Array(length - 2), new Uint8Array([at >> 8, at & 255]));
  const many = Array.from({ length: 1025 }, (_, at): Json => {
    const hex = (length: number) => `0x${Buffer.from(key(at, length)).toString('hex')}`;
    return {
      ...candidacyToJson(alice),
      name: `v${at}`,
      address: `v${at}:9000`,
      peerKey: hex(32),
      blsPublicKey: hex(48),
    };
  });
  expect(faultsOf(...many)).toEqual([{ code: 'too-many', file: 'folder', field: '' }]);
});

test('weights above the maximum of a committee are refused, and so is a chain without a validator', () => {
  const heavy = validatorCandidacy('heavy', { weight: 10_000 });
  expect(faultsOf(heavy, alice)).toEqual([{ code: 'too-many', file: 'folder', field: 'weight' }]);
  expect(faultsOf(fullNodeCandidacy('only'))).toEqual([{ code: 'too-few', file: 'folder', field: '' }]);
});
