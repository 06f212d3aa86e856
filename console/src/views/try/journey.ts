/**
 * A transfer, from a key to a verified proof: result and time of each step.
 *
 *   key --> funded --> sent --> attested --> ordered --> final --> proof --> verified
 */
import {
  buildTransaction,
  type Client,
  generateKeyPair,
  type KeyPair,
  type SignedTransaction,
  signTransaction,
  transfer,
} from '@slipstream/client';
import type { AccountView, ProofJson, TransactionView, WaitStage } from '@slipstream/schema';
import { askAccount } from '../../proof/ask-account.ts';
import { type Verification, verifyInPage } from '../../proof/verify.ts';

export interface Key {
  readonly pair: KeyPair;
  readonly tookMs: number;
}

export interface Funding {
  readonly id: string;
  readonly account: AccountView;
  readonly tookMs: number;
}

/** A stage and when it was reached, in ms after sending. */
export interface Reached {
  readonly stage: 'accepted' | WaitStage | 'proof' | 'verified';
  readonly atMs: number;
}

export interface Transfer {
  readonly id: string;
  readonly to: string;
  readonly amount: bigint;
  readonly reached: readonly Reached[];
  readonly view: TransactionView | null;
  readonly proof: ProofJson | null;
  readonly verification: Verification | null;
}

/** The longest wait for one stage, in one request. */
const WAIT_MS = 20_000;
/** A chain accepts expiries at most 60 s ahead; the rest allows for clock differences. */
const EXPIRY_MS = 45_000;

export function makeKey(): Key {
  const startMs = performance.now();
  const pair = generateKeyPair();
  return { pair, tookMs: performance.now() - startMs };
}

export async function fund(client: Client, account: string, signal: AbortSignal): Promise<Funding> {
  const startMs = performance.now();
  const view = await client.faucet(account, { wait: 'final', timeoutMs: WAIT_MS, signal });
  if (view.status !== 'final') throw new Error(`The faucet's transfer is ${view.status}: request funds again.`);
  const tookMs = performance.now() - startMs;
  return { id: view.id, account: await askAccount(client, account, signal), tookMs };
}

interface TransferOrder {
  readonly from: KeyPair;
  readonly to: string;
  readonly amount: bigint;
  /** The node's clock, as this machine knows it. */
  readonly nodeNowMs: number;
}

/** `onProgress` receives each step. Rejects when the transfer fails or no answer comes. */
export async function carry(
  client: Client,
  order: TransferOrder,
  onProgress: (transfer: Transfer) => void,
  signal: AbortSignal,
): Promise<void> {
  const signed = await sign(client, order, signal);
  const startMs = performance.now();
  let state: Transfer = {
    id: signed.id,
    to: order.to,
    amount: order.amount,
    reached: [],
    view: null,
    proof: null,
    verification: null,
  };
  const reach = (stage: Reached['stage'], fields: Partial<Transfer> = {}) => {
    const reached = [...state.reached, { stage, atMs: performance.now() - startMs }];
    state = { ...state, ...fields, reached };
    onProgress(state);
  };

  onProgress(state);
  reach('accepted', { view: await client.submit(signed, { signal }) });
  for (const stage of ['attested', 'ordered', 'final'] as const) {
    reach(stage, { view: await waitFor(client, signed, stage, signal) });
  }
  const proof = await client.proof(signed.id, { signal });
  reach('proof', { proof });
  reach('verified', {
    verification: await verifyInPage({ kind: 'transaction', id: signed.id, shown: { proof } }),
  });
}

async function sign(client: Client, order: TransferOrder, signal: AbortSignal): Promise<SignedTransaction> {
  const [genesisHash, status] = await Promise.all([client.genesisHash({ signal }), client.fees({ signal })]);
  const free = Object.values(status.prices).every((price) => price === '0');
  const body = buildTransaction({
    genesisHash,
    sender: order.from.account,
    actions: [transfer(order.to, order.amount)],
    expiryMs: Math.round(order.nodeNowMs + EXPIRY_MS),
    maxFee: free ? 0n : FEE_MAX,
  });
  return signTransaction(body, order.from);
}

/** Above a transfer's fee; the rest is not charged. */
const FEE_MAX = 1_000_000n;

const AFTER: Readonly<Record<WaitStage, readonly string[]>> = {
  attested: ['attested', 'ordered', 'final'],
  ordered: ['ordered', 'final'],
  final: ['final'],
};

async function waitFor(
  client: Client,
  { id }: SignedTransaction,
  stage: WaitStage,
  signal: AbortSignal,
): Promise<TransactionView> {
  const view = await client.transaction(id, { wait: stage, timeoutMs: WAIT_MS, signal });
  if (AFTER[stage].includes(view.status)) return view;
  const outcome = view.receipt?.outcome;
  const why = outcome?.status === 'failed' ? `: ${outcome.code}` : view.reason === undefined ? '' : `: ${view.reason}`;
  throw new Error(`The transfer is ${view.status}${why}.`);
}
