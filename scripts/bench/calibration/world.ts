/**
 * A chain on the state store: makes transactions of a case, executes them and commits their batches.
 *
 * The store's files are in memory: a block's syncs cost the same for each case, and their waiting would hide what a write costs. The bytes
 * that it writes are those of a real disk.
 */

import { ed25519Sign } from '@slipstream/crypto/native';
import {
  accountStateKey,
  type ExecutedBlock,
  encodeBalance,
  epochEntries,
  executeBlock,
  METERED_FEES,
} from '@slipstream/execution';
import { nextTurn } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { createRandom, createSimDisk } from '@slipstream/simulator';
import { openStateStore, type StateStore, type Write } from '@slipstream/state';
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
  NOW_MS,
  type Person,
  person,
  prepared,
  sessionOf,
  type TestChain,
  type TestSession,
  testChain,
} from '../../../packages/execution/test/session-world.ts';
import { accountOf, type Case, PEOPLE, type Place } from './cases.ts';

const BALANCE = encodeBalance(10n ** 16n) as Uint8Array;
/** Above what a transaction with 64 kB costs. */
const MAX_FEE = 10_000_000n;
const FUNDS = 1_000_000_000n;
const ANCHOR = person('calibration anchor');

export interface World {
  readonly chain: TestChain;
  readonly store: StateStore;
  /** Also executes what has to stand in the state before. */
  transactionsOf(one: Case, count: number): Promise<readonly DecodedTransaction[]>;
  execute(
    transactions: readonly PreparedTransaction[],
    read: (key: Uint8Array) => Uint8Array | undefined,
  ): ExecutedBlock;
  commit(batch: ExecutedBlock['batch']): Promise<Committed>;
  close(): Promise<void>;
}

/** us from the prepared batch until it is folded into the index. */
interface Committed {
  readonly bytes: number;
  readonly us: number;
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
  const disk = createSimDisk({ random: createRandom('calibration') }).mount();
  const { store } = await openStateStore(
    { disk, telemetry: silentTelemetry, pause: nextTurn },
    {
      directory: 'state',
      genesisHash: chain.genesisHash,
      genesisBlock: 'genesis',
      genesisBatch: genesisOf(chain.genesis, accounts),
    },
  );
  let height = 0;

  function execute(transactions: readonly PreparedTransaction[], read: Parameters<World['execute']>[1]): ExecutedBlock {
    return executeBlock({
      genesisHash: chain.genesisHash,
      epoch: 0,
      view: height + 1,
      parentView: height,
      height: height + 1,
      timestampMs: NOW_MS,
      proposer: 0,
      chunks: [{ epoch: 0, producer: 0, transactions }],
      read,
      seen: () => false,
    });
  }

  async function commit(batch: ExecutedBlock['batch']): Promise<Committed> {
    const block = `block ${++height}`;
    const { bytes } = store.prepare(store.tip.block, block, batch);
    const startUs = 1000 * performance.now();
    await store.append(block);
    await store.commit(block);
    await store.stats();
    return { bytes, us: 1000 * performance.now() - startUs };
  }

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
    await commit(succeeded(execute(before, store.get)).batch);
    return made;
  }

  return {
    chain,
    store,
    transactionsOf,
    execute: (transactions, read) => succeeded(execute(transactions, read)),
    commit,
    close: () => store.close(),
  };
}

const genesisOf = (genesis: Genesis, accounts: number): Iterable<Write> => ({
  [Symbol.iterator]: () => allEntries(genesis, accounts),
});

function* allEntries(genesis: Genesis, accounts: number): Iterator<Write> {
  for (const { account } of PEOPLE) yield { key: accountStateKey(account).bytes, value: BALANCE };
  for (let i = 0; i < accounts; i++) yield { key: accountStateKey(accountOf(i)).bytes, value: BALANCE };
  yield* epochEntries(genesis);
}

/** A failed action costs less. */
function succeeded(executed: ExecutedBlock): ExecutedBlock {
  const failed = executed.receipts.find(({ outcome }) => outcome.status === 'failed');
  if (failed !== undefined) throw new Error(`an action failed: ${JSON.stringify(failed.outcome)}`);
  if (executed.skipped.length > 0) throw new Error(`skipped: ${executed.skipped[0]?.reason}`);
  return executed;
}
