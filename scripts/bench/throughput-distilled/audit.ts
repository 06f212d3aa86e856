/** What the chain says after a run: balances, sequences, blocks of each node, proofs of rows. */
import { type Client, verifyRowProof } from '@slipstream/client';
import { rowIdOf } from '@slipstream/distilled';
import { to0x } from '@slipstream/primitives';
import { accountViews, inParts, type Registered } from './registered.ts';
import { accountOf, amountOf, payeeOf, type RunRows, rowOf, successes } from './run-rows.ts';

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
  rows: RunRows,
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
  rows: RunRows,
  before: readonly bigint[],
  after: readonly bigint[],
): ChainAudit {
  const moved = new Float64Array(accounts.length);
  for (const number of successes(rows)) {
    const [payer, payee] = [accountOf(rows, number), payeeOf(rows, number)];
    moved[payer] = (moved[payer] as number) - amountOf(number);
    moved[payee] = (moved[payee] as number) + amountOf(number);
  }
  const expected = before.map((balance, place) => balance + BigInt(moved[place] as number));
  const sum = (balances: readonly bigint[]) => balances.reduce((total, each) => total + each, 0n);
  return {
    wrongAccounts: expected.filter((balance, i) => balance !== after[i]).length,
    supplyDifference: sum(after) - sum(before),
  };
}

/** Returns how many of `most` final rows, evenly over the run, have no proof that holds, or one of another row or outcome. */
export async function countUnproven(client: Client, rows: RunRows, most: number): Promise<number> {
  const final = successes(rows);
  const step = Math.max(1, Math.floor(final.length / most));
  const chosen = [...final.filter((_, i) => i % step === 0).slice(0, most)];
  const chain = await client.genesis();
  let unproven = 0;
  await inParts(chosen, async (number) => {
    const batchId = rows.batchIds[rows.batches[number] as number] as Uint8Array;
    const rowId = to0x(rowIdOf(batchId, rows.positions[number] as number));
    const verified = verifyRowProof(await client.rowProof(rowId), chain, rowId);
    const { sender, sequence, amount } = rowOf(rows, number);
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
