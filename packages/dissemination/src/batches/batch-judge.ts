/**
 * Batch judge: Z3 to Z6 of a batch, once a node, off the path of votes.
 *
 *   ahead, as its chunk arrives or a broker offers it --> a payer's turn \
 *   needed, for a block's execution ----------------------> first -------> form --> one shared multi-pairing --> verdict
 *                                           knownAt not executed here: waits --^
 *
 * What waits together, of any chunks, shares a check. Payers take turns, and one whose batch is false loses what it has waiting: that is
 * judged only for a block. So a liar costs one check, however much it sent.
 *
 * A verdict depends on the batch's bytes alone, aggregate and stragglers included, so it is known by their hash, not by the batch id.
 */
import {
  type BatchClaims,
  checkBatchForm,
  checkClaims,
  type DirectoryColumns,
  decodeBatch,
} from '@slipstream/distilled';
import type { DistilledVerifier, Verifier } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { DisseminationError } from '../errors.ts';
import { createJudgeQueue } from './judge-queue.ts';
import type { StoredBatch } from './stored-batch.ts';

export type Directory = Pick<DirectoryColumns, 'viewFor' | 'newest'>;

/** `unjudged`: its payer lied, its chunk is gone, or the directory here does not reach back to its knownAt. */
type BatchVerdict = 'valid' | 'invalid' | 'unjudged';

export interface BatchJudge {
  /** `payer`: whose turn it takes. Rejects when the verifier does. */
  ahead(batch: StoredBatch, payer: string): Promise<BatchVerdict>;
  /**
   * For a block in whose window its knownAt is. Waits until knownAt is final and executed here. Rejects with the signal's reason, or
   * DisseminationError `directory-unknown`.
   */
  needed(batch: StoredBatch, signal: AbortSignal): Promise<boolean>;
  /** A final block is executed, with its registrations. */
  directoryGrew(): void;
  /** Its chunk is gone: it waits no longer, neither for its turn nor for the directory, unless a block needs it. */
  forget(batch: StoredBatch): void;
  stats(): { readonly waiting: number; readonly lagging: number };
  stop(): void;
}

interface BatchJudgeParts {
  readonly directory: Directory;
  readonly verifier: DistilledVerifier & Pick<Verifier, 'checkAccounts'>;
}

interface Asked {
  readonly batch: StoredBatch;
  readonly payer: string;
  readonly verdict: Promise<BatchVerdict>;
  isNeeded: boolean;
  settle(verdict: BatchVerdict): void;
  reject(cause: unknown): void;
}

/** Of the newest batches: some minutes of a busy chain. */
const VERDICTS_MAX = 8_192;

export function createBatchJudge(
  { directory, verifier }: BatchJudgeParts,
  { genesisHash }: { readonly genesisHash: GenesisHash },
): BatchJudge {
  const verdicts = createVerdicts();
  /** By key: each batch is asked for once. Bounded by the batches of pending chunks, of offers, and of blocks. */
  const asked = new Map<string, Asked>();
  const queue = createJudgeQueue<Asked>();
  const lagging = new Set<Asked>();
  let isChecking = false;
  let isStopped = false;

  function ask(batch: StoredBatch, payer: string): Asked {
    const known = asked.get(batch.key);
    if (known !== undefined) return known;
    if (isStopped) throw stopped();
    const { promise, resolve, reject } = Promise.withResolvers<BatchVerdict>();
    // Who asks ahead may be gone.
    promise.catch(() => {});
    const one: Asked = { batch, payer, verdict: promise, isNeeded: false, settle: resolve, reject };
    asked.set(batch.key, one);
    enqueue(one);
    return one;
  }

  function enqueue(one: Asked): void {
    queue.add(one);
    // What is asked for in the same turn shares a check.
    void Promise.resolve().then(check);
  }

  function settle(one: Asked, verdict: BatchVerdict): void {
    asked.delete(one.batch.key);
    if (verdict !== 'unjudged') verdicts.set(one.batch.key, verdict);
    one.settle(verdict);
    if (verdict !== 'invalid') return;
    for (const other of queue.drop(one.payer)) settle(other, 'unjudged');
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    for (let taken = queue.take(); taken.length > 0 && !isStopped; taken = queue.take()) await checkTogether(taken);
    isChecking = false;
  }

  async function checkTogether(taken: readonly Asked[]): Promise<void> {
    const formed: { readonly one: Asked; readonly claims: BatchClaims }[] = [];
    for (const one of taken) {
      const claims = claimsOf(one);
      if (claims !== undefined) formed.push({ one, claims });
    }
    if (formed.length === 0) return;
    try {
      const answers = await checkClaims(
        formed.map(({ claims }) => claims),
        verifier,
        'chunk',
      );
      for (const [i, { one }] of formed.entries()) settle(one, answers[i] === true ? 'valid' : 'invalid');
    } catch (cause) {
      for (const { one } of formed) fail(one, cause);
    }
  }

  function fail(one: Asked, cause: unknown): void {
    asked.delete(one.batch.key);
    one.reject(cause);
  }

  /** Undefined: settled without a check, or waiting for the directory. */
  function claimsOf(one: Asked): BatchClaims | undefined {
    const form = formOf(one.batch, directory, genesisHash);
    if (form === 'wait') lagging.add(one);
    else if (form === 'invalid') settle(one, 'invalid');
    else if (form !== 'unknown') return form;
    else if (one.isNeeded) fail(one, unknownDirectory(one.batch));
    else settle(one, 'unjudged');
    return undefined;
  }

  async function isValid(batch: StoredBatch): Promise<boolean> {
    const known = verdicts.get(batch.key);
    if (known !== undefined) return known === 'valid';
    const one = ask(batch, 'blocks');
    one.isNeeded = true;
    // One that waits for the directory, or is at the verifier, goes on.
    queue.moveUp(one);
    const verdict = await one.verdict;
    // Settled for who asked ahead, just before a block needed it.
    return verdict === 'unjudged' ? isValid(batch) : verdict === 'valid';
  }

  return {
    async ahead(batch, payer) {
      return verdicts.get(batch.key) ?? ask(batch, payer).verdict;
    },
    async needed(batch, signal) {
      signal.throwIfAborted();
      return untilAborted(isValid(batch), signal);
    },
    directoryGrew() {
      const newest = directory.newest() ?? -1;
      for (const one of [...lagging]) {
        if (one.batch.knownAt > newest) continue;
        lagging.delete(one);
        enqueue(one);
      }
    },
    forget({ key }) {
      const one = asked.get(key);
      if (one === undefined || one.isNeeded) return;
      if (lagging.delete(one) || queue.remove(one)) settle(one, 'unjudged');
    },
    stats: () => ({ waiting: asked.size, lagging: lagging.size }),
    stop() {
      isStopped = true;
      for (const one of [...asked.values()]) fail(one, stopped());
    },
  };
}

/** By key; the oldest gives way. */
function createVerdicts() {
  const verdicts = new Map<string, 'valid' | 'invalid'>();
  return {
    get: (key: string) => verdicts.get(key),
    set(key: string, verdict: 'valid' | 'invalid'): void {
      verdicts.set(key, verdict);
      if (verdicts.size > VERDICTS_MAX) verdicts.delete(verdicts.keys().next().value as string);
    },
  };
}

/** `wait`: knownAt is not executed here; `unknown`: the directory here does not reach back to it. */
function formOf(
  { bytes, epoch }: StoredBatch,
  directory: Directory,
  genesisHash: GenesisHash,
): BatchClaims | 'wait' | 'unknown' | 'invalid' {
  const decoded = decodeBatch(bytes);
  assert(decoded.ok, 'a batch is judged after its form');
  const view = directory.viewFor(decoded.value);
  if (view.kind !== 'view') return view.kind === 'wait' ? 'wait' : 'unknown';
  const claims = checkBatchForm(decoded.value, { genesisHash, epoch, directory: view.directory });
  return claims.ok ? claims.value : 'invalid';
}

function stopped(): DisseminationError {
  return new DisseminationError('stopped', 'the node stopped while it judged a batch', {});
}

function unknownDirectory({ knownAt }: StoredBatch): DisseminationError {
  const message = `the size of the account directory at height ${knownAt} is not known here, so a batch cannot be judged`;
  return new DisseminationError('directory-unknown', message, { knownAt });
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
