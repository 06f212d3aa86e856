/**
 * A chain whose directory has many accounts, and batches of their rows. One aggregate signs for all senders of a batch, made as a gateway makes
 * it: with the sum of their secrets. Recipients sign nothing, so their entries have no key of the curve.
 */
import {
  type Batch,
  type BlockBatch,
  batchIdOf,
  type DirectoryView,
  encodeBatch,
  type Row,
} from '@slipstream/distilled';
import { accountStateKey, epochEntries, METERED_FEES } from '@slipstream/execution';
import type { Write } from '@slipstream/state';
import { BLS_UNCOMPRESSED_KEY_BYTES, GENESIS_EPOCH, type Genesis, genesisHashOf } from '@slipstream/types';
import { uncompressedKey } from '../../../packages/crypto/test/bls-points.ts';
import { type Account, batchOf, createAccount, NOW_MS } from '../../../packages/distilled/test/world.ts';
import { encodeAccount } from '../../../packages/execution/src/account-value.ts';
import { encodeBounds } from '../../../packages/execution/src/directory/bounds.ts';
import { EMPTY_HEAD, encodeHead } from '../../../packages/execution/src/directory/head.ts';
import { DIRECTORY_KEY, DISTILLED_KEY, entryKey } from '../../../packages/execution/src/directory/keys.ts';
import { encodeRegistration } from '../../../packages/execution/src/directory/registrations.ts';
import { type TestChain, testChain } from '../../../packages/execution/test/session-world.ts';
import { accountOf } from './cases.ts';
import { openStage, type Stage } from './stage.ts';

const BALANCE = 10n ** 15n;
const FEE_CAP = 10n ** 9n;
const LIFE_MS = 30_000;
const HASH_BYTES = 32;

export interface RowsSize {
  /** In the directory. */
  readonly accounts: number;
  /** Senders, spread over the directory. */
  readonly senders: number;
}

export interface MadeBatch {
  readonly batch: Batch;
  readonly bytes: Uint8Array;
  readonly block: BlockBatch;
}

export interface RowsChain extends Stage {
  readonly directory: DirectoryView;
  readonly senders: number;
  /** Index of a sender, by its number. The next index is of an account that sends nothing. */
  indexOf(sender: number): number;
  /** For rows that no block had. */
  nextSequence(): number;
  /** Valid in the next block. */
  batchOf(rows: readonly Row[]): MadeBatch;
}

export async function createRowsChain({ accounts, senders }: RowsSize): Promise<RowsChain> {
  const step = Math.floor(accounts / senders);
  const people: Account[] = [];
  const keys = new Uint8Array(BLS_UNCOMPRESSED_KEY_BYTES * accounts);
  for (let sender = 0; sender < senders; sender++) {
    const index = sender * step;
    people[index] = createAccount(sender);
    keys.set(uncompressedKey((people[index] as Account).publicKey), BLS_UNCOMPRESSED_KEY_BYTES * index);
  }
  const chain = chainWithDirectory(accounts);
  const directory = { size: accounts, keys, accountKey: (index: number) => accountOf(index).bytes };
  const entries = { [Symbol.iterator]: () => allEntries(chain.genesis, directory) };
  const stage = await openStage(chain, entries);
  let [sequence, number] = [0, 0];
  return {
    ...stage,
    directory,
    senders,
    indexOf: (sender) => sender * step,
    nextSequence: () => ++sequence,
    batchOf(rows) {
      const { genesisHash } = chain;
      const header = {
        epoch: GENESIS_EPOCH,
        number: ++number,
        knownAt: stage.height(),
        expiryMs: NOW_MS + LIFE_MS,
        feeCap: FEE_CAP,
      };
      const batch = batchOf(people, { rows, header, genesisHash });
      const block = { batch, batchId: batchIdOf(genesisHash, batch.header), isValid: true };
      return { batch, block, bytes: encodeBatch(batch) };
    },
  };
}

const boundsOf = (accountsMax: number) => ({ accountsMax, rowsPerBlock: 2 ** 20, registrationsPerBlock: 1 });

function chainWithDirectory(accounts: number): TestChain {
  const base = testChain('calibration rows', { fees: METERED_FEES });
  const genesis: Genesis = { ...base.genesis, distilled: boundsOf(accounts) };
  return { ...base, genesis, genesisHash: genesisHashOf(genesis) };
}

function* allEntries(genesis: Genesis, { size, keys }: DirectoryView): Iterator<Write> {
  for (let index = 0; index < size; index++) {
    const account = accountOf(index);
    const blsKey = keys.subarray(BLS_UNCOMPRESSED_KEY_BYTES * index, BLS_UNCOMPRESSED_KEY_BYTES * (index + 1));
    const value = encodeAccount({ balance: BALANCE, registration: { index, last: 0, mask: 0n } });
    yield { key: accountStateKey(account).bytes, value };
    yield { key: entryKey(index).bytes, value: encodeRegistration({ account, blsKey, height: 0 }) };
  }
  yield* epochEntries(genesis);
  yield { key: DISTILLED_KEY.bytes, value: encodeBounds(boundsOf(size)) };
  yield { key: DIRECTORY_KEY.bytes, value: encodeHead({ ...EMPTY_HEAD, frontier: frontierOf(size) }) };
}

/** Of its length alone: no row reads its hashes. */
function frontierOf(size: number) {
  const peaks = [...size.toString(2)].filter((bit) => bit === '1').length;
  return { size, hashes: Array.from({ length: peaks }, () => new Uint8Array(HASH_BYTES)) };
}
