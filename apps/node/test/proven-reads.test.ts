/** Reads with proofs from a node's real ledger, state and tree; and from one that lies about balances. */
import type { NodeBackend, Proven, ProvenReads } from '@slipstream/api';
import { checkStateProof, type StateProof, stateProofCodec } from '@slipstream/state-tree/proofs';
import { createCommittee, type GrantId, type ValidatorId } from '@slipstream/types';
import { expect, test } from 'vitest';
import { validatorKey } from '../../../packages/execution/src/epochs/keys.ts';
import {
  account,
  finalize,
  GENESIS,
  GENESIS_HASH,
  genesis,
  type Node,
  settle,
  transaction,
  untilCommitted,
  World,
} from '../../../packages/pipeline/test/world.ts';
import { withFalseBalances } from '../src/backend/false-balances.ts';
import { createProvenReads } from '../src/backend/proven-reads.ts';

const COMMITTEE = createCommittee(genesis.members);
const NOW_MS = 77;

function readsOf({ pipeline, ledger, state }: Node): ProvenReads {
  return createProvenReads({
    ledger,
    headTimestampMs: () => NOW_MS,
    read: async (keys) => ({ height: 0, values: keys.map((key) => state.get(key)) }),
    async prove(keys) {
      const { height, entries } = await pipeline.prove(keys);
      return {
        type: 'proven',
        height,
        values: entries.map((entry) => {
          if (!entry.ok) throw new Error(entry.error);
          return entry.value;
        }),
      };
    },
  });
}

async function committedNode(): Promise<Node> {
  const world = new World();
  const node = await world.open();
  const written = { kind: 'setData', name: 'colour', value: Uint8Array.of(9) } as const;
  const block = world.blockOn(GENESIS, { transactions: [transaction({ from: 1, actions: [written] })] });
  await settle(node, block);
  await untilCommitted(node, 1);
  return node;
}

function holding<T>(found: Proven<T>): { readonly value: T; readonly proof: StateProof } {
  if (found.type !== 'proven') throw new Error(found.type);
  expect(checkStateProof(found.proof, GENESIS_HASH, COMMITTEE)).toMatchObject({ ok: true });
  expect(stateProofCodec.decode(stateProofCodec.encode(found.proof))).toEqual({ ok: true, value: found.proof });
  return found;
}

test('R12: accounts, data, sessions and validators are of one certified block, present or absent', async () => {
  const reads = readsOf(await committedNode());
  const rich = holding(await reads.account(account(2)));
  expect(rich.value).toMatchObject({ balance: 500n, exists: true, height: 1 });
  expect(holding(await reads.account(account(99))).value).toMatchObject({ balance: 0n, exists: false });
  expect(holding(await reads.accountData(account(1), 'colour')).value).toEqual({ value: Uint8Array.of(9), height: 1 });
  expect(holding(await reads.accountData(account(1), 'size')).value).toBeUndefined();
  expect(holding(await reads.session(new Uint8Array(32) as GrantId)).value).toBeUndefined();
  const [member] = genesis.members;
  const validator = holding(await reads.validator(member?.blsPublicKey as Uint8Array));
  expect(validator.value).toMatchObject({ status: 'member' });
  const id = Buffer.from((validator.value?.id ?? '').slice(2), 'hex') as Uint8Array as ValidatorId;
  expect(validator.proof.entries[0]?.key).toEqual(validatorKey(id).bytes);
  expect(holding(await reads.validator(new Uint8Array(48).fill(99))).value).toBeUndefined();
});

test('without a certificate there is no proof yet, and with a later one it leads there', async () => {
  const world = new World();
  const node = await world.open();
  expect(await readsOf(node).account(account(2))).toEqual({ type: 'not-ready' });
  const first = world.blockOn(GENESIS);
  const second = world.blockOn(first);
  void node.pipeline.execute(first.blockId, first.block);
  finalize(node, first);
  await settle(node, second);
  await untilCommitted(node, 2);
  const { proof } = holding(await readsOf(node).account(account(2)));
  expect(proof.preimages[0]?.height).toBe(2);
});

test('a node that lies about balances is refused by its proofs', async () => {
  const proven = readsOf(await committedNode());
  const honest = { proven, accounts: async () => [{ balance: 5n, exists: true, registration: undefined, height: 1 }] };
  const { proven: lying, accounts: lyingAccounts } = withFalseBalances(honest as unknown as NodeBackend);
  expect(await lyingAccounts([account(2)])).toMatchObject([{ balance: 1_000_005n }]);
  for (const number of [2, 99]) {
    const found = await lying.account(account(number));
    if (found.type !== 'proven') throw new Error(found.type);
    expect(found.value).toMatchObject({ balance: number === 2 ? 1_000_500n : 1_000_000n });
    expect(checkStateProof(found.proof, GENESIS_HASH, COMMITTEE)).toMatchObject({ ok: false, error: { entry: 0 } });
    const { key } = found.proof.entries[0] as StateProof['entries'][number];
    const byKey = await lying.keys([key]);
    expect(byKey.type === 'proven' && checkStateProof(byKey.proof, GENESIS_HASH, COMMITTEE).ok).toBe(false);
  }
});
