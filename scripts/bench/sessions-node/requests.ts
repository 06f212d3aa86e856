/** Requests of the `sessions-node` bench: transactions of certified sessions and plain ones. The identity chain is one of the tests, in this process. */
import type { SignedTransfer } from '@slipstream/app-loadgen';
import { ed25519Sign } from '@slipstream/crypto/native';
import { to0x, utf8 } from '@slipstream/primitives';
import {
  type Action,
  authorityMessage,
  type Credential,
  type GenesisHash,
  makeCredential,
  type Transaction,
  type TransactionBody,
  transactionCodec,
  transactionIdOf,
} from '@slipstream/types';
import {
  bodyOf,
  HOUR_MS,
  NOW_MS,
  person,
  sessionOf,
  signed,
  type TestChain,
  type TestSession,
  testChain,
} from '../../../packages/execution/test/session-world.ts';

export interface User {
  readonly session: TestSession;
  readonly credential: Credential;
}

/** `session`: carries the credential, as every request of the source did. `plain`: the sender's own Ed25519 signature. */
export type RequestKind = 'session' | 'plain';

/** Sign-ins of a minute: one certificate for each block, and one for the committee, as in the source. */
const GRANT_BLOCKS = 45;
const USERS_PER_BLOCK = 10;
const ANCHOR = person('anchor');
const WRITE: Action = { kind: 'setData', name: 'n', value: utf8('request') };
/** From signing to the end of its run. */
const LIFE_MS = 50_000;

export function createIdentityChain(): TestChain {
  return testChain('identity', { balances: [ANCHOR.account], expiryMs: Math.max(Date.now(), NOW_MS) + HOUR_MS });
}

/** They may act on the chain of that genesis, which trusts the identity chain's root key. */
export async function signInUsers(
  identity: TestChain,
  genesisHash: GenesisHash,
  smoke: boolean,
): Promise<readonly User[]> {
  const expiryMs = Math.max(Date.now(), NOW_MS) + HOUR_MS;
  const users: User[] = [];
  for (let block = 0; block < (smoke ? 2 : GRANT_BLOCKS); block++) {
    const sessions = Array.from({ length: USERS_PER_BLOCK }, (_, i) =>
      sessionOf(identity, { genesisHash }, ANCHOR, {
        key: `${block} ${i}`,
        service: `service ${block} ${i}`,
        expiryMs,
      }),
    );
    const executed = identity.execute(sessions.map(({ action }) => signed(identity, ANCHOR, action)));
    for (const [i, session] of sessions.entries()) {
      const proof = await identity.prove(executed, i);
      const credential = makeCredential(session.grant, proof, identity.committeeCertificate);
      if (!credential.ok) throw new Error(credential.error);
      users.push({ session, credential: credential.value });
    }
  }
  return users;
}

/** The users take turns. Each request is signed here and sent once. */
export function signRequests(
  { users, genesisHash }: { readonly users: readonly User[]; readonly genesisHash: GenesisHash },
  kind: RequestKind,
  count: number,
): readonly SignedTransfer[] {
  const expiryMs = Date.now() + LIFE_MS;
  return Array.from({ length: count }, (_, i) => {
    const { session, credential } = users[i % users.length] as User;
    const { key, account } = session;
    const sender = kind === 'plain' ? key.account : account;
    const body = bodyOf({ genesisHash }, { sender, actions: [WRITE], expiryMs });
    const transaction =
      kind === 'plain' ? signedPlainly(body, key.secret) : signedBySession(body, credential, key.secret);
    return { id: to0x(transactionIdOf(body)), bytes: transactionCodec.encode(transaction), expiryMs };
  });
}

function signedPlainly(body: TransactionBody, secret: Uint8Array): Transaction {
  return { body, auth: { scheme: 'ed25519', signature: ed25519Sign(transactionIdOf(body), secret) } };
}

function signedBySession(body: TransactionBody, credential: Credential, secret: Uint8Array): Transaction {
  const auth = { scheme: 'session', credential } as const;
  const signature = ed25519Sign(authorityMessage(transactionIdOf(body), auth), secret);
  return { body, auth: { ...auth, signature } };
}
