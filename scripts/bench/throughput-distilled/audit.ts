/** What the chain says after a run: balances, sequences, blocks of each node, proofs of rows. */
import { type Client, verifyRowProof } from '@slipstream/client';
import type { RunRow } from './prepared-rows.ts';
import { accountViews, inParts, type Registered } from './registered.ts';

export interface ChainAudit {
  /** Accounts whose balance is not what the rows that ended make it, summed over the nodes. */
  readonly wrongAccounts: number;
  /** Of all accounts, against before: zero where execution is free. */
  readonly supplyDifference: bigint;
}

/** At every node. */
export async function auditNodes(
  clients: readonly Client[],
  accounts: readonly Registered[],
  rows: readonly RunRow[],
  before: readonly bigint[],
): Promise<ChainAudit> {
  let [wrongAccounts, supplyDifference] = [0, 0n];
  for (const client of clients) {
    const audit = auditBalances(accounts, rows, before, await readBalances(client, accounts));
    wrongAccounts += audit.wrongAccounts;
    if (audit.supplyDifference !== 0n) supplyDifference = audit.supplyDifference;
  }
  return { wrongAccounts, supplyDifference };
}

export async function readBalances(client: Client, accounts: readonly Registered[]): Promise<readonly bigint[]> {
  const views = await accountViews(client, accounts);
  return views.map(({ balance }) => BigInt(balance));
}

/** Each success moved its amount once. */
function auditBalances(
  accounts: readonly Registered[],
  rows: readonly RunRow[],
  before: readonly bigint[],
  after: readonly bigint[],
): ChainAudit {
  const expected = [...before];
  const placeOf = new Map(accounts.map(({ index }, place) => [index, place]));
  for (const { end, account, pending } of rows) {
    if (end !== 'success') continue;
    const { recipient, amount } = pending.row;
    const payee = placeOf.get(recipient) as number;
    expected[account] = (expected[account] as bigint) - amount;
    expected[payee] = (expected[payee] as bigint) + amount;
  }
  const sum = (balances: readonly bigint[]) => balances.reduce((total, each) => total + each, 0n);
  return {
    wrongAccounts: expected.filter((balance, i) => balance !== after[i]).length,
    supplyDifference: sum(after) - sum(before),
  };
}

/** Returns how many of `most` final rows, evenly over the run, have no proof that holds, or one of another row or outcome. */
export async function countUnproven(client: Client, rows: readonly RunRow[], most: number): Promise<number> {
  const final = rows.filter(({ end }) => end === 'success');
  const step = Math.max(1, Math.floor(final.length / most));
  const chosen = final.filter((_, i) => i % step === 0).slice(0, most);
  const chain = await client.genesis();
  let unproven = 0;
  await inParts(chosen, async ({ rowId, pending }) => {
    const verified = verifyRowProof(await client.rowProof(rowId), chain, rowId);
    const { sender, sequence, amount } = pending.row;
    const isAsSent =
      verified.ok &&
      verified.value.row.sender === sender &&
      verified.value.row.sequence === sequence &&
      verified.value.row.amount === amount &&
      verified.value.outcome.status === 'success';
    if (!isAsSent) unproven++;
  });
  return unproven;
}
