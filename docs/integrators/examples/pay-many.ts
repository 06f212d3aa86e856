/** Sends many payments in batches and waits for the end of each. Usage: node pay-many.ts URL SECRET ACCOUNT COUNT */
import { setTimeout } from 'node:timers/promises';
import { buildTransaction, createClient, keyPairFrom, signTransaction, transfer } from '@slipstream/client';

const BATCH_MAX = 500;
const RETRY_MS = 1_000;

const [url = '', secret = '', to = '', count = '100'] = process.argv.slice(2);
const client = createClient({ url });
const key = keyPairFrom(Buffer.from(secret.replace(/^0x/, ''), 'hex'));
const genesisHash = await client.genesisHash();
const expiryMs = Date.now() + 50_000;

const ends = new Map<string, number>();
const open = new Set<string>();
const everyEnd = Promise.withResolvers<void>();

function end(id: string, how: string): void {
  if (!open.delete(id)) return;
  ends.set(how, (ends.get(how) ?? 0) + 1);
  if (open.size === 0) everyEnd.resolve();
}

// Reads from this height on, so that it misses no block with a payment.
let { height } = await client.status();
let reading = Promise.resolve();
const events = client.events({
  topics: ['blocks'],
  onEvent: ({ event }) => {
    if (event.type !== 'block.committed') return;
    const { height: committed, timestampMs } = event.data;
    reading = reading.then(() => readTo(committed, timestampMs));
    reading.catch(everyEnd.reject);
  },
});

async function readTo(committed: number, timestampMs: number): Promise<void> {
  for (; height < committed; height++) {
    const { success, failed } = await client.blockOutcomes(height + 1);
    for (const id of idsOf(success)) end(id, 'final');
    for (const id of idsOf(failed)) end(id, 'failed');
  }
  // No later block can hold one that has expired.
  if (timestampMs >= expiryMs) for (const id of open) end(id, 'expired');
}

/** `ids`: 0x, then 64 hexadecimal digits for each. */
function idsOf(ids: string): readonly string[] {
  return (ids.slice(2).match(/.{64}/g) ?? []).map((id) => `0x${id}`);
}

const payments = Array.from({ length: Number(count) }, () => {
  const body = buildTransaction({ genesisHash, sender: key.account, actions: [transfer(to, 1n)], expiryMs });
  return signTransaction(body, key);
});
for (const { id } of payments) open.add(id);

let left = payments;
while (left.length > 0) {
  const batch = left.slice(0, BATCH_MAX);
  const { results } = await client.submitBatch(batch);
  // The node has no room now: the same bytes again, since they are one payment however often they are sent.
  const again = batch.filter((_, at) => {
    const result = results[at];
    return result?.ok === false && result.problem.retryAfterMs !== undefined && Date.now() < expiryMs;
  });
  for (const [at, payment] of batch.entries()) {
    const result = results[at];
    if (result?.ok === false && !again.includes(payment)) end(payment.id, result.problem.reason ?? result.problem.code);
  }
  left = [...again, ...left.slice(BATCH_MAX)];
  if (again.length > 0) await setTimeout(RETRY_MS);
}
await everyEnd.promise.finally(() => events.close());
console.log([...ends].map(([how, many]) => `${how}: ${many}`).join(', '));
