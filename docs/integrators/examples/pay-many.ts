/** Sends many payments over one connection and waits for the end of each. Usage: node pay-many.ts URL SECRET ACCOUNT COUNT */
import { setTimeout } from 'node:timers/promises';
import { buildTransaction, createClient, keyPairFrom, signTransaction, transfer } from '@slipstream/client';

const RETRY_MS = 1_000;

const [url = '', secret = '', to = '', count = '100'] = process.argv.slice(2);
const client = createClient({ url });
const key = keyPairFrom(Buffer.from(secret.replace(/^0x/, ''), 'hex'));
const genesisHash = await client.genesisHash();

const ends = new Map<string, number>();
const everyEnd = Promise.withResolvers<void>();
let open = Number(count);

function end(how: string): void {
  ends.set(how, (ends.get(how) ?? 0) + 1);
  open -= 1;
  if (open === 0) everyEnd.resolve();
}

const stream = client.stream({
  notices: 'ends',
  onNotices: (notices) => {
    for (const { status } of notices) end(status);
  },
  onClosed: (error) => everyEnd.reject(error ?? new Error('closed')),
});
await stream.opened;

async function pay(): Promise<void> {
  const expiryMs = Date.now() + 30_000;
  const body = buildTransaction({ genesisHash, sender: key.account, actions: [transfer(to, 1n)], expiryMs });
  const signed = signTransaction(body, key);
  for (;;) {
    // Waits for room in the window, then for the answer: many are under way at once.
    const { code } = await stream.submit(signed);
    if (code === 'accepted') return;
    // The node has no room now: the same bytes again, since they are one payment however often they are sent.
    if (code !== 'overloaded' || Date.now() > expiryMs) return end(code);
    await setTimeout(RETRY_MS);
  }
}

await Promise.all(Array.from({ length: Number(count) }, pay));
await everyEnd.promise.finally(() => stream.close());
console.log([...ends].map(([how, many]) => `${how}: ${many}`).join(', '));
