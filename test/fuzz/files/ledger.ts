/** The ledger, on real LevelDB files: opened, reconciled with the state store's tip, sent every query. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HASH_KEY_BYTES } from '@slipstream/crypto';
import { createBodyReader, type Ledger, openLedger, unknownAccounts } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk, openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import type { StateStore } from '@slipstream/state';
import type { StateTree } from '@slipstream/state-tree';
import { GENESIS_EPOCH, height, hexOf, type TransactionId } from '@slipstream/types';
import { openExclusively } from '../../../apps/node/src/storage/exclusive-ledger.ts';
import { eachAccount } from '../../../packages/ledger/src/account-lists.ts';
import { transactionIdOfReceipt } from '../../../packages/ledger/src/records.ts';
import { createSealedStore } from '../../../packages/ledger/src/sealed-store.ts';
import { reconcile } from '../../../packages/pipeline/src/reconcile.ts';
import { createReplayWindow } from '../../../packages/pipeline/src/replay-window.ts';
import { looksTorn } from './damage.ts';
import { below, type DataFolder, type Files, writeFiles } from './folder.ts';
import type { Case, StoreUnderTest } from './stores.ts';
import { digestOf, forbidden, listening, refusal, type Verdict, verdict } from './verdict.ts';

const NAMES_PLACE = /(in table [a-zA-Z]+ under|\/[0-9]+\.(ldb|log)|MANIFEST-[0-9]+|CURRENT|do not fit)/;
/** Queried heights: the newest. */
const HEIGHTS_MAX = 96;
const NAMES_MAX = 64;

export interface LedgerTruth {
  readonly test: StoreUnderTest;
  /** Of each committed batch, by block id in hex. */
  readonly checksumOf: ReadonlyMap<string, string>;
}

interface Questions {
  readonly from: number;
  readonly to: number;
  readonly transactions: readonly TransactionId[];
  readonly accounts: readonly Uint8Array[];
}

type Tip = StateStore['tip'];

async function opening(scratch: string, { genesisHash }: DataFolder) {
  const { telemetry, words } = listening();
  const keyValue = await openExclusively(scratch, { telemetry });
  try {
    const files = {
      disk: createDisk({ root: scratch }),
      random: createRandom('flips/ledger'),
      directory: DATA.blockFiles,
    };
    return { ledger: await openLedger({ keyValue, files, telemetry }, { genesisHash }), words };
  } catch (error) {
    await keyValue.close();
    throw error;
  }
}

/** By query. */
async function answersOf(ledger: Ledger, { from, to, transactions, accounts }: Questions) {
  const answers = new Map<string, string>();
  async function ask(question: string, answer: Promise<unknown>): Promise<void> {
    const found = await answer.then(digestOf, (error: unknown) => {
      if (error instanceof CodedError && NAMES_PLACE.test(error.message)) return error;
      throw error;
    });
    answers.set(question, typeof found === 'string' || found === undefined ? `${found}` : `!${found.message}`);
  }
  await ask('tip', ledger.tip());
  for (let at = from; at <= to; at++) {
    await ask(`block ${at}`, ledger.block({ height: at }));
    await ask(`receipts ${at}`, ledger.receipts(at));
    await ask(`certificates ${at}`, ledger.certificates(at));
    await ask(`preimage ${at}`, ledger.preimage(height(at)));
  }
  await ask('pages', ledger.blocks({ limit: HEIGHTS_MAX }));
  await ask('final', ledger.finalizedRange(from, to));
  await ask('views', ledger.certificatesByView(GENESIS_EPOCH, 0, Number.MAX_SAFE_INTEGER));
  await ask('newest epoch', ledger.latestEpoch());
  await ask('record', ledger.record(GENESIS_EPOCH));
  await ask('recent', ledger.recentBlocks(0));
  for (const id of transactions) await ask(`transaction ${digestOf(id)}`, ledger.transaction(id));
  for (const account of accounts) {
    await ask(`account ${digestOf(account)}`, ledger.accountTransactions(account, { limit: 100 }));
  }
  await ask('evidence', ledger.evidence(100));
  await ask('blocked', ledger.peerBlocks());
  return answers;
}

async function questionsOf(scratch: string, ledger: Ledger): Promise<Questions> {
  const tip = await ledger.tip();
  const to = tip?.height ?? 0;
  const from = Math.max(0, to - HEIGHTS_MAX + 1);
  const transactions: TransactionId[] = [];
  for (let at = to; at >= from && transactions.length < NAMES_MAX; at--) {
    for (const receipt of (await ledger.receipts(at)) ?? []) transactions.push(transactionIdOfReceipt(receipt));
  }
  const ids = (await ledger.blocks({ limit: HEIGHTS_MAX })).blocks.map(({ blockId }) => blockId);
  await ledger.close();
  const keyValue = await openKeyValue({ location: join(scratch, DATA.ledger) });
  const disk = createDisk({ root: scratch });
  const files = createBodyReader({ disk, keyValue, telemetry: silentTelemetry }, DATA.blockFiles);
  const bodies = await createSealedStore(keyValue, files).bodies(ids);
  await keyValue.close();
  const accounts = new Map<string, Uint8Array>();
  for (const body of bodies) {
    const lists = body?.accounts ?? unknownAccounts(0);
    eachAccount(lists, (_, start, end) => accounts.set(digestOf(lists.slice(start, end)), lists.slice(start, end)));
  }
  return { from, to, transactions: transactions.slice(0, NAMES_MAX), accounts: [...accounts.values()].slice(0, 16) };
}

function differing(answers: ReadonlyMap<string, string>, truth: ReadonlyMap<string, string>): readonly string[] {
  return [...truth.keys()].filter((question) => answers.get(question) !== truth.get(question));
}

function judged(
  answers: ReadonlyMap<string, string>,
  truth: ReadonlyMap<string, string>,
  { damage, words }: Pick<Case, 'damage'> & { readonly words: readonly string[] },
): Verdict {
  const differ = differing(answers, truth);
  const [first] = differ;
  if (first === undefined) return verdict('same');
  const named = differ.filter((question) => answers.get(question)?.startsWith('!'));
  if (named.length === differ.length) return verdict('named', answers.get(first));
  const silent = differ.find((question) => !answers.get(question)?.startsWith('!')) as string;
  // They hold no commit, which reconciling would have refused.
  const isUnsynced = /^(certificates|views|final|evidence|blocked)/.test(silent);
  if (isUnsynced && (looksTorn(damage) || words.length > 0))
    return verdict('cut', `${silent} as before its last write`);
  return forbidden(`${silent}: ${answers.get(silent)?.slice(0, 200)} in place of ${truth.get(silent)?.slice(0, 200)}`);
}

/** `tip` of the undamaged state store; reconciling refuses a ledger that ends below. */
export async function ledgerUnderTest(folder: DataFolder, scratch: string, tip: Tip): Promise<LedgerTruth> {
  async function place(files: Files): Promise<void> {
    for (const name of [DATA.ledger, DATA.blockFiles]) {
      await rm(join(scratch, name), { recursive: true, force: true });
      await writeFiles(join(scratch, name), below(files, name));
    }
  }

  await place(folder.files);
  const { ledger: sound } = await opening(scratch, folder);
  const preimages = await sound.preimages(0, Number.MAX_SAFE_INTEGER - 1);
  const checksumOf = new Map(
    preimages.map(({ blockId, batchChecksum }) => [Buffer.from(blockId).toString('hex'), digestOf(batchChecksum)]),
  );
  const questions = await questionsOf(scratch, sound);

  const state = { tip } as StateStore;
  const tipPreimage = preimages.find(({ blockId }) => hexOf(blockId) === tip.block);
  const tree = { tip: tip.block, root: () => tipPreimage?.stateRoot } as unknown as StateTree;
  async function ask(files: Files) {
    await place(files);
    const { ledger, words } = await opening(scratch, folder);
    try {
      await reconcile({ state, tree, ledger, window: createReplayWindow(new Uint8Array(HASH_KEY_BYTES)) }, folder);
      return { answers: await answersOf(ledger, questions), words };
    } finally {
      await ledger.close();
    }
  }
  const { answers: truth } = await ask(folder.files);
  const test: StoreUnderTest = {
    async judge({ files, damage }) {
      const asked = await ask(files).catch((error: unknown) => refusal(error, NAMES_PLACE));
      return 'outcome' in asked ? asked : judged(asked.answers, truth, { damage, words: asked.words });
    },
  };
  return { test, checksumOf };
}
