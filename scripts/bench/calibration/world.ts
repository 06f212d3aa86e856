/** A chain of many accounts, and an identity chain behind its sessions: makes the transactions of a case. */
import { ed25519Sign } from '@slipstream/crypto/native';
import { accountStateKey, encodeBalance, epochEntries, METERED_FEES } from '@slipstream/execution';
import type { Write } from '@slipstream/state';
import {
  type AccountKey,
  type Action,
  type Credential,
  type DecodedTransaction,
  type Genesis,
  type PreparedTransaction,
  transactionIdOf,
} from '@slipstream/types';
import {
  bodyOf,
  byCredential,
  byHash,
  credentialOf,
  encoded,
  type Person,
  person,
  prepared,
  sessionOf,
  type TestSession,
  testChain,
} from '../../../packages/execution/test/session-world.ts';
import { accountOf, BYSTANDER, type Case, PEOPLE, type Place } from './cases.ts';
import { openStage, type Stage } from './stage.ts';

const BALANCE = encodeBalance(10n ** 16n) as Uint8Array;
/** Above what a transaction with 64 kB costs. */
const MAX_FEE = 10_000_000n;
const FUNDS = 1_000_000_000n;
const ANCHOR = person('calibration anchor');

export interface World extends Stage {
  /** Also executes what has to stand in the state before. */
  transactionsOf(one: Case, count: number): Promise<readonly DecodedTransaction[]>;
}

interface User {
  readonly session: TestSession;
  readonly credential: Credential;
}

/** Over all worlds, so that no name or account repeats. */
let serial = 0;

export async function createWorld({ accounts }: { readonly accounts: number }): Promise<World> {
  const identity = testChain('calibration identity', { balances: [ANCHOR.account] });
  // Metered, so that each transaction writes its sender's balance.
  const chain = testChain('calibration', { trusted: [identity.rootKey], fees: METERED_FEES });
  const stage = await openStage(chain, genesisOf(chain.genesis, accounts));

  async function userOf(number: number): Promise<User> {
    const session = sessionOf(identity, chain, ANCHOR, {
      key: `user ${number}`,
      service: `service ${number}`,
      spendLimit: FUNDS,
    });
    return { session, credential: await credentialOf(identity, session, ANCHOR) };
  }

  const byKey = (sender: Person, actions: readonly Action[]): PreparedTransaction => {
    const body = bodyOf(chain, { sender: sender.account, actions, maxFee: MAX_FEE });
    const auth = { scheme: 'ed25519', signature: ed25519Sign(transactionIdOf(body), sender.secret) } as const;
    return prepared(encoded({ body, auth }));
  };

  /** One transaction, and what has to be executed before it. */
  async function transactionOf(one: Case, number: number): Promise<readonly DecodedTransaction[]> {
    const rich = PEOPLE[number % PEOPLE.length] as Person;
    const fund = (to: AccountKey) => byKey(rich, [{ kind: 'transfer', to, amount: FUNDS }]);
    serial += 1;
    if (one.scheme === undefined) {
      const sender = one.isOwnSender ? person(`own ${serial}`) : rich;
      const place: Place = { chain, sender, serial, accounts };
      const funds = one.isOwnSender ? [fund(sender.account)] : [];
      const earlier = (one.before?.(place) ?? []).map((actions) => byKey(sender, actions));
      return [...funds, ...earlier, byKey(sender, one.actions(place))];
    }
    const { session, credential } = await userOf(serial);
    const form = { actions: one.actions({ chain, sender: rich, serial, accounts }), maxFee: MAX_FEE };
    const first = byCredential(chain, session, credential, form);
    const funds = fund(session.account);
    return one.scheme === 'session' ? [funds, first] : [funds, first, byHash(chain, session, form)];
  }

  async function transactionsOf(one: Case, count: number): Promise<readonly DecodedTransaction[]> {
    const made: DecodedTransaction[] = [];
    const before: PreparedTransaction[] = [];
    for (let number = 0; number < count; number++) {
      const all = await transactionOf(one, number);
      before.push(...all.slice(0, -1).map(prepared));
      made.push(all.at(-1) as DecodedTransaction);
    }
    await stage.commit(stage.execute(before, stage.store.get).batch);
    return made;
  }

  return { ...stage, transactionsOf };
}

const genesisOf = (genesis: Genesis, accounts: number): Iterable<Write> => ({
  [Symbol.iterator]: () => allEntries(genesis, accounts),
});

function* allEntries(genesis: Genesis, accounts: number): Iterator<Write> {
  for (const { account } of [...PEOPLE, BYSTANDER]) yield { key: accountStateKey(account).bytes, value: BALANCE };
  for (let i = 0; i < accounts; i++) yield { key: accountStateKey(accountOf(i)).bytes, value: BALANCE };
  yield* epochEntries(genesis);
}
