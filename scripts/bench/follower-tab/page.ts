/** In a tab: follows the chain of the node behind the page's own origin, and measures what a follower is made of. */
import { ed25519 } from '@noble/curves/ed25519.js';
import type { WriteColumns } from '@slipstream/execution';
import type { AccountSignature } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { openStateTree } from '@slipstream/state-tree';
import { createAccountChecks } from './account-signatures.ts';
import { spin } from './busy-loop.ts';
import type { FollowerComponents } from './follower.ts';
import { type CheckedBlock, type Following, type Opened, startFollowing } from './following.ts';
import type { CheckAccounts } from './read-chunk.ts';
import type { SnapshotHead } from './snapshot-wire.ts';
import { createStateMap } from './state-map.ts';

export interface TakenBlock
  extends Pick<CheckedBlock, 'height' | 'verifyMs' | 'executeMs' | 'digestMs' | 'fetchMs' | 'lagMs'> {
  readonly transactions: number;
}

export interface SignatureTimes {
  /** Undefined: this browser does not have it. */
  readonly nativeUs: number | undefined;
  readonly javascriptUs: number;
}

declare const window: {
  /** `genesis`: the file's JSON. Resolves once the snapshot is proven. */
  follow?: (genesis: unknown) => Promise<Opened>;
  /** Since the last call. */
  take?: () => readonly TakenBlock[];
  /** Ends the following. */
  stop?: () => void;
  /** Of a state of so many accounts, which stays in memory in place of the one before: ms from its entries to its root. */
  rebuild?: (accounts: number) => Promise<number>;
  rebuilt?: unknown;
  verify?: (signatures: number) => Promise<SignatureTimes>;
  /** Keeps the page's thread busy for so many ms. */
  spin?: (ms: number) => void;
  /** The same in a worker. */
  spinWorker?: (ms: number) => Promise<void>;
};

declare const Worker: new (
  url: URL,
  options: { readonly type: 'module' },
) => {
  postMessage(ms: number): void;
  addEventListener(type: 'message', listener: () => void, options: { readonly once: boolean }): void;
};

let following: Following | undefined;

async function bytesOf(path: string): Promise<Uint8Array> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** By noble where the browser has no Ed25519. */
const inJavaScript: CheckAccounts = async (batch) =>
  batch.map(({ publicKey, message, signature }) => ed25519.verify(signature, message, publicKey, { zip215: false }));

async function componentsOf(): Promise<FollowerComponents> {
  return {
    checkAccounts: (await createAccountChecks()) ?? inJavaScript,
    nowMs: () => performance.now(),
    secret: crypto.getRandomValues(new Uint8Array(32)),
    pause,
  };
}

/** A timer would wait for 4 ms. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(0);
  });
}

window.follow = async (genesis) => {
  const source = {
    head: async () => (await (await fetch('/follower/head')).json()) as SnapshotHead,
    entries: () => bytesOf('/follower/entries'),
    chunk: (id: Uint8Array) => bytesOf(`/follower/chunks/${toHex(id)}`),
  };
  following = await startFollowing(await componentsOf(), { genesis, url: new URL(import.meta.url).origin, source });
  return following.opened;
};

window.take = () =>
  (following?.take() ?? []).map(({ height, transactionIds, verifyMs, executeMs, digestMs, fetchMs, lagMs }) => ({
    height,
    transactions: transactionIds.length,
    verifyMs,
    executeMs,
    digestMs,
    fetchMs,
    lagMs,
  }));

window.stop = () => {
  following?.close();
  following = undefined;
};

window.rebuild = async (accounts) => {
  const { secret } = await componentsOf();
  window.rebuilt = undefined;
  const entries = [...accountsInBatches(accounts)];
  const startMs = performance.now();
  const state = createStateMap(entries);
  const tree = await openStateTree({ secret, pause }, { block: '', entries });
  const tookMs = performance.now() - startMs;
  window.rebuilt = { state, tree };
  return tookMs;
};

const BATCH = 2_048;
const KEY_BYTES = 34;
const VALUE_BYTES = 16;

function* accountsInBatches(accounts: number): Generator<WriteColumns> {
  for (let from = 0; from < accounts; from += BATCH) {
    const count = Math.min(BATCH, accounts - from);
    const bytes = new Uint8Array(count * (KEY_BYTES + VALUE_BYTES));
    for (let i = 0; i < count; i++) bytes.set(sha256(utf8(`account ${from + i}`)), i * (KEY_BYTES + VALUE_BYTES) + 2);
    yield {
      bytes,
      keyBytes: new Uint8Array(count).fill(KEY_BYTES),
      valueBytes: new Int32Array(count).fill(VALUE_BYTES),
    };
  }
}

window.spin = spin;

let busy: InstanceType<typeof Worker> | undefined;

window.spinWorker = (ms) => {
  const worker = busy ?? new Worker(new URL('./busy-worker.ts', import.meta.url), { type: 'module' });
  busy = worker;
  return new Promise((resolve) => {
    worker.addEventListener('message', resolve, { once: true });
    worker.postMessage(ms);
  });
};

/** Senders that come again, each in a block's batch. */
const SIGNERS = 16;
const BLOCK = 32;

window.verify = async (signatures) => {
  const secrets = Array.from({ length: SIGNERS }, (_, i) => new Uint8Array(32).fill(i + 1));
  const batch = Array.from({ length: signatures }, (_, i): AccountSignature => {
    const secret = secrets[i % SIGNERS] as Uint8Array;
    const message = sha256(utf8(`message ${i}`));
    return { publicKey: ed25519.getPublicKey(secret), message, signature: ed25519.sign(message, secret) };
  });
  const native = await createAccountChecks();
  return { nativeUs: native && (await usOf(native, batch)), javascriptUs: await usOf(inJavaScript, batch) };
};

async function usOf(check: CheckAccounts, batch: readonly AccountSignature[]): Promise<number> {
  await check(batch.slice(0, BLOCK));
  const startMs = performance.now();
  for (let from = 0; from < batch.length; from += BLOCK) {
    const answers = await check(batch.slice(from, from + BLOCK));
    if (answers.includes(false)) throw new Error('the signatures of a bench hold');
  }
  return ((performance.now() - startMs) * 1_000) / batch.length;
}
