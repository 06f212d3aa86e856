/** Entries of the account directory with proofs, from a node's real ledger and state. */
import { ok } from '@slipstream/primitives';
import { checkDirectoryProof, createCommittee, type DirectoryProof, directoryProofCodec } from '@slipstream/types';
import { expect, test } from 'vitest';
import {
  account,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  settle,
  transaction,
  untilCommitted,
  World,
} from '../../../packages/pipeline/test/world.ts';
import { directoryEntry } from '../src/backend/directory-reads.ts';

const COMMITTEE = createCommittee(genesis.members);
const OPTIONS = { distilled: { accountsMax: 100, rowsPerBlock: 1, registrationsPerBlock: 64 } };

/** The state is as many blocks behind the ledger as a test says. */
function readsOf({ ledger, state }: Node, behind = 0) {
  const read = async (keys: readonly Uint8Array[]) => ({
    height: ((await ledger.tip())?.height ?? 0) - behind,
    values: keys.map((key) => state.get(key)),
  });
  return (of: Parameters<typeof directoryEntry>[1]) => directoryEntry({ ledger, read }, of);
}

async function withRegistrations(counts: readonly number[], options = OPTIONS) {
  const world = new World();
  const node = await world.open(options);
  let parent = GENESIS;
  for (const [at, count] of counts.entries()) {
    const actions = Array.from({ length: count }, (_, i) => ({
      kind: 'register' as const,
      blsKey: new Uint8Array(96).fill(10 * at + i),
      proof: new Uint8Array(96),
    }));
    const block = world.blockOn(parent, { transactions: [transaction({ from: 1 + at, actions })] });
    await settle(node, block);
    await untilCommitted(node, at + 1);
    parent = block;
  }
  return node;
}

async function found(answer: ReturnType<typeof directoryEntry>): Promise<DirectoryProof> {
  const lookup = await answer;
  if (lookup.type !== 'found') throw new Error(lookup.type);
  return lookup.value;
}

test('an entry is proven by index, and an account by its newest', async () => {
  const entry = readsOf(await withRegistrations([9, 8, 2]));
  for (const index of [0, 8, 9, 15, 16, 18]) {
    const proof = await found(entry(index));
    expect(proof).toMatchObject({ index, entry: { account: account(index < 9 ? 1 : index < 17 ? 2 : 3) } });
    expect(checkDirectoryProof(proof, GENESIS_HASH, COMMITTEE)).toMatchObject({ ok: true });
    expect(directoryProofCodec.decode(directoryProofCodec.encode(proof))).toEqual(ok(proof));
  }
  expect((await found(entry(account(2)))).index).toBe(16);
  expect(await entry(19)).toEqual({ type: 'unknown' });
  expect(await entry(account(77))).toEqual({ type: 'unknown' });
});

test('a proof does not hold for another index, key, account, size or chain', async () => {
  const proof = await found(readsOf(await withRegistrations([5, 6]))(4));
  const [own, ...above] = proof.preimages;
  if (own?.distilled === undefined) throw new Error('no roots');
  const check = (changed: Partial<DirectoryProof>, genesisHash = GENESIS_HASH) =>
    checkDirectoryProof({ ...proof, ...changed }, genesisHash, COMMITTEE);
  expect(check({ index: 3 })).toEqual({ ok: false, error: 'path' });
  expect(check({ entry: { ...proof.entry, account: account(2) } })).toEqual({ ok: false, error: 'path' });
  expect(check({ entry: { ...proof.entry, blsKey: new Uint8Array(96) } })).toEqual({ ok: false, error: 'path' });
  expect(check({ path: proof.path.slice(1) })).toEqual({ ok: false, error: 'path' });
  const resized = { ...own, distilled: { ...own.distilled, directorySize: 12 } };
  expect(check({ preimages: [resized, ...above] }).ok).toBe(false);
  expect(check({ preimages: [] })).toEqual({ ok: false, error: 'path' });
  expect(check({}, new Uint8Array(32) as typeof GENESIS_HASH)).toEqual({ ok: false, error: 'digest' });
  expect(check({ certificate: { ...proof.certificate, signers: [0] } })).toEqual({ ok: false, error: 'quorum' });
});

test('a read that is followed by a commit gives the proof of the earlier directory', async () => {
  const node = await withRegistrations([5, 6]);
  const earlier = await found(readsOf(node, 1)(2));
  expect(earlier.preimages[0]).toMatchObject({ height: 1, distilled: { directorySize: 5 } });
  expect(checkDirectoryProof(earlier, GENESIS_HASH, COMMITTEE)).toMatchObject({ ok: true });
  expect(await readsOf(node, 1)(7)).toEqual({ type: 'unknown' });
});
