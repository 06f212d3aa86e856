/**
 * A node that lies about balances on a development chain: each account has a million units more, with and without a proof. The paths and
 * certificates of its proofs are true, so a verifier refuses them.
 */
import type { AccountRecord, NodeBackend, Proven } from '@slipstream/api';
import { decodeAccount, encodeAccount } from '@slipstream/execution';
import type { StateProof } from '@slipstream/state-tree/proofs';
import { meaningOfStateKey } from '@slipstream/types';

const MORE = 1_000_000n;

export function withFalseBalances(backend: NodeBackend): NodeBackend {
  const { proven } = backend;
  return {
    ...backend,
    accounts: async (keys) => (await backend.accounts(keys)).map(falseRecord),
    proven: {
      ...proven,
      keys: async (keys) => falseProof(await proven.keys(keys)),
      async account(key) {
        const found = falseProof(await proven.account(key));
        return found.type === 'proven' ? { ...found, value: falseRecord(found.value) } : found;
      },
    },
  };
}

function falseRecord(record: AccountRecord): AccountRecord {
  return { ...record, balance: record.balance + MORE, exists: true };
}

function falseProof<T>(found: Proven<T>): Proven<T> {
  if (found.type !== 'proven') return found;
  const { proof } = found;
  return { ...found, proof: { ...proof, entries: proof.entries.map(falseEntry) } };
}

function falseEntry(entry: StateProof['entries'][number]): StateProof['entries'][number] {
  if (meaningOfStateKey(entry.key).kind !== 'account') return entry;
  const account = decodeAccount(entry.value);
  return { ...entry, value: encodeAccount({ ...account, balance: account.balance + MORE }) };
}
