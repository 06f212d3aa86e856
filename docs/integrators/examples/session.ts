/**
 * Signs in once, then acts with a session key alone. Usage: node session.ts IDENTITY_URL URL DEVICE_SECRET VALUE
 *
 * IDENTITY_URL is a node of the chain that grants, URL one of the chain where the session acts: it may be the same.
 */
import { anchorSalt, ClientError, createClient, keyPairFrom } from '@slipstream/client';

const [identityUrl = '', url = '', secret = '', value = ''] = process.argv.slice(2);
const identity = createClient({ url: identityUrl });
const client = createClient({ url });
const device = keyPairFrom(Buffer.from(secret.replace(/^0x/, ''), 'hex'));

// One transaction on the identity chain, signed by the device. What comes back holds the session's own key: keep it as a secret.
const session = await identity.session.grant(
  {
    anchor: device.account,
    // From it, and the service's name, follows the pseudonym that the service sees in place of the anchor.
    anchorSalt: anchorSalt(device),
    service: 'notes.example',
    target: await client.genesisHash(),
    actions: ['setData'],
    // What may leave the session's account in all, fees included.
    spendLimit: 1_000_000n,
    expiryMs: Date.now() + 3_600_000,
  },
  device,
  { maxFee: 'estimate' },
);
console.log(`acts for ${session.accountText}`);

async function note(text: string): Promise<void> {
  const action = { kind: 'setData', name: 'note', value: new TextEncoder().encode(text) } as const;
  const { status, receipt } = await client.session.act([action], session, { maxFee: 'estimate' });
  console.log(`${status} at height ${receipt?.height}`);
}

// The first use brings the credential, later ones the grant's id alone.
await note(value);
await note(`${value}, again`);

await identity.session.revoke(device.account, session.grantId, device, { maxFee: 'estimate' });
try {
  await note('too late');
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.log(`refused: ${error.problem?.reason}`);
}
