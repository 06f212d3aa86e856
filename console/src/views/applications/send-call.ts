import type { Json } from '@slipstream/app/program';
import {
  buildTransaction,
  type Client,
  type KeyPair,
  signForPrices,
  signTransaction,
  unitsOfCallsTo,
} from '@slipstream/client';
import type { TransactionView } from '@slipstream/schema';
import { type InstalledApplication, jsonOfManifest } from './manifest.ts';

/** The longest wait for finality. */
const WAIT_MS = 20_000;
/** A chain accepts expiries at most 60 s ahead; the rest allows for clock differences. */
const EXPIRY_MS = 45_000;

export interface CallOrder {
  readonly application: InstalledApplication;
  /** The action's number. */
  readonly action: number;
  /** A value of the action's form. */
  readonly input: Json;
}

/** Signs, submits and waits for finality. Rejects without an answer; a failed call is an answer. */
export async function sendCall(
  client: Client,
  { application: { manifest }, action, input }: CallOrder,
  { by, nodeNowMs, signal }: { readonly by: KeyPair; readonly nodeNowMs: number; readonly signal: AbortSignal },
): Promise<TransactionView> {
  const bytes = jsonOfManifest(manifest).inputFromJson(action, input);
  const parts = {
    genesisHash: await client.genesisHash({ signal }),
    sender: by.account,
    actions: [{ kind: 'call' as const, application: manifest.name, action, input: bytes }],
    expiryMs: Math.round(nodeNowMs + EXPIRY_MS),
  };
  const sign = (maxFee: bigint) => signTransaction(buildTransaction({ ...parts, maxFee }), by);
  const signed = await signForPrices(client, sign, { unitsOfCall: unitsOfCallsTo([manifest]) });
  await client.submit(signed, { signal });
  return client.transaction(signed.id, { wait: 'final', timeoutMs: WAIT_MS, signal });
}

/** The call as POST /v1/transactions takes it among the actions. */
export function callJson({ application: { manifest }, action, input }: CallOrder): string {
  const bytes = jsonOfManifest(manifest).inputFromJson(action, input);
  const hex = `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return JSON.stringify({ kind: 'call', application: manifest.name, action, input: hex }, null, 2);
}
