/** Pays an account and waits until the payment is final. Usage: node pay.ts URL SECRET ACCOUNT AMOUNT */
import { buildTransaction, createClient, keyPairFrom, signTransaction, transfer } from '@slipstream/client';

const [url = '', secret = '', to = '', amount = ''] = process.argv.slice(2);
const client = createClient({ url });
const key = keyPairFrom(Buffer.from(secret.replace(/^0x/, ''), 'hex'));

const body = buildTransaction({
  genesisHash: await client.genesisHash(),
  sender: key.account,
  actions: [transfer(to, BigInt(amount))],
  // Valid until then, once: no nonce, so many can be under way in any order. At most 60 s ahead.
  expiryMs: Date.now() + 30_000,
});
const signed = signTransaction(body, key);
console.log(`sending ${signed.id}`);

// Sends again while the node is busy or offline; the id is the same, so nothing is paid twice.
const view = await client.submitAndWait(signed);
console.log(`${view.status} at height ${view.receipt?.height}`);
if (view.status !== 'final') process.exitCode = 1;
