/** Prepares a chain for a load: checks the nodes and provides accounts that can pay. */
import type { Client } from '@slipstream/client';
import { fromHex, sha256, utf8 } from '@slipstream/primitives';
import { type AccountKey, type GenesisHash, idFromHex } from '@slipstream/types';
import { LoadError } from './errors.ts';
import type { NodeHandle } from './sending/node-handle.ts';
import type { SigningTask } from './signing/sign-transfers.ts';
import { createLoadAccounts } from './workload/accounts.ts';
import { fundAccounts } from './workload/fund.ts';
import { fundTokens, tokenManifest } from './workload/token.ts';
import { PLAN_BLOCK_TRANSFERS, planBlock, type Workload } from './workload/transfer-plan.ts';

export interface PreparedChain {
  readonly task: SigningTask;
  /** Whether genesis generated the accounts; otherwise `fund` must pay them before they send. */
  readonly generated: boolean;
  /** Pays the senders of these blocks of the plan; does nothing for generated accounts. */
  fund(firstBlock: number, blocks: number): Promise<void>;
}

/** Where prices are not zero: many times a transfer's price at genesis. */
const MAX_FEE = 100_000n;

/** Throws LoadError `nodes-unfit` when no node answers, or they are of different chains. */
export async function prepareChain(nodes: readonly NodeHandle[], workload: Workload): Promise<PreparedChain> {
  const { client } = await oneChain(nodes);
  const { genesisHash } = await client.status();
  const generated = generatedOf(await client.genesis());
  const fits = generated !== undefined && generated.count >= workload.accounts;
  const accountsSeed = fits ? generated.seed : sha256(utf8(`slipstream load ${workload.seed}`));
  const prices = Object.values((await client.fees()).prices).map(BigInt);
  const maxFee = prices.every((price) => price === 0n) ? 0n : MAX_FEE;
  const paid = new Set<number>();
  const hash = idFromHex<GenesisHash>(genesisHash);
  const token = workload.application === undefined ? undefined : await tokenManifest(client);
  const common = { client, genesisHash: hash, maxFee };
  return {
    task: { workload, genesisHash: hash, accountsSeed, maxFee, token },
    generated: fits && token === undefined,
    async fund(firstBlock, blocks) {
      if (fits && token === undefined) return;
      const senders = sendersOf(workload, firstBlock, blocks).filter((index) => !paid.has(index));
      if (senders.length === 0) return;
      const accounts = keysOf(accountsSeed, senders);
      if (!fits) await fundAccounts({ ...common, accountsSeed, accounts });
      if (token !== undefined) await fundTokens({ ...common, manifest: token, seed: workload.seed, accounts });
      for (const index of senders) paid.add(index);
    },
  };
}

async function oneChain(nodes: readonly NodeHandle[]): Promise<{ readonly client: Client }> {
  const answers = await Promise.allSettled(nodes.map(({ client }) => client.status()));
  const unresponsive = nodes.filter((_, index) => answers[index]?.status === 'rejected');
  if (unresponsive.length > 0) {
    const names = unresponsive.map(({ name, client }) => `${name} (${client.url})`).join(', ');
    throw new LoadError('nodes-unfit', `no answer from ${names}: is it running? Leave it out of --nodes if not.`);
  }
  const hashes = new Set(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.genesisHash : '')));
  if (hashes.size > 1) throw new LoadError('nodes-unfit', `the nodes are of ${hashes.size} different chains`);
  const first = nodes[0];
  if (first === undefined) throw new LoadError('nodes-unfit', 'there is no node to send to');
  return first;
}

function generatedOf(genesis: { readonly [key: string]: unknown }) {
  const generated = genesis.generated as { readonly seed?: unknown; readonly count?: unknown } | undefined;
  const { seed, count } = generated ?? {};
  return typeof seed === 'string' && typeof count === 'number' && count > 0
    ? { seed: fromHex(seed), count }
    : undefined;
}

function sendersOf(workload: Workload, firstBlock: number, blocks: number): readonly number[] {
  // Few accounts are all paid at once; of many, only the senders of these blocks.
  if (workload.accounts <= PLAN_BLOCK_TRANSFERS) return Array.from({ length: workload.accounts }, (_, index) => index);
  const senders = new Set<number>();
  for (let block = firstBlock; block < firstBlock + blocks; block++) {
    for (const { sender } of planBlock(workload, block)) senders.add(sender);
  }
  return [...senders];
}

function keysOf(seed: Uint8Array, indexes: readonly number[]): readonly AccountKey[] {
  const accounts = createLoadAccounts(seed);
  return indexes.map((index) => accounts.at(index).account);
}
