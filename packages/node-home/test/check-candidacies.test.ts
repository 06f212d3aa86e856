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

test('sound candidacies are in the order of names, validators first, whatever their files are called', () => {
  const { candidacies, faults } = check(bob, fullNodeCandidacy('aaron'), alice);
  expect(faults).toEqual([]);
  expect(candidacies.map(({ name }) => name)).toEqual(['alice', 'bob', 'aaron']);
});

test('a rogue key is refused: one that cancels others in a sum signs nothing, and another key’s proof is not its own', () => {
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

test('a proof of possession that does not hold is refused, though the same key signed all the rest', () => {
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
])('a file without its %s is malformed, and told with file and field', (field) => {
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

test.for([null, 7, 'text', [], {}])('what is no candidacy at all is refused: %j', (json) => {
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

test('nothing may be there twice: name, address, network key, BLS key, among full nodes too', () => {
  const [bls, peerSeed] = [blsSigner(), new Uint8Array(32).fill(7)];
  const first = validatorCandidacy('first', { bls, peerSeed, address: 'one:9000' });
  const twice = (candidacy: Candidacy) => faultsOf(first, candidacy);
  const told = (field: string) => [{ code: 'duplicate', file: '1.json', field }];
  expect(twice(validatorCandidacy('first'))).toEqual(told('name'));
  expect(twice(validatorCandidacy('second', { address: 'one:9000' }))).toEqual(told('address'));
  expect(twice(validatorCandidacy('second', { peerSeed }))).toEqual(told('peerKey'));
  expect(twice(validatorCandidacy('second', { bls }))).toEqual(told('blsPublicKey'));
  expect(twice(fullNodeCandidacy('second', peerSeed))).toEqual(told('peerKey'));
  expect(twice(fullNodeCandidacy('first'))).toEqual(told('name'));
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

test('weights that add up to more than a committee may have are refused; so is a chain without a validator', () => {
  const heavy = validatorCandidacy('heavy', { weight: 10_000 });
  expect(faultsOf(heavy, alice)).toEqual([{ code: 'too-many', file: 'folder', field: 'weight' }]);
  expect(faultsOf(fullNodeCandidacy('only'))).toEqual([{ code: 'too-few', file: 'folder', field: '' }]);
});
