/**
 * Transfers as rows of distilled batches, of one account or of a gateway's many: any of several brokers, each outcome proven.
 *
 *   transfer --recipient's index, proven--> engine: row queue --> pending rows --> carrier, broker --> result
 */
import { to0x } from '@slipstream/primitives';
import type { Client } from '../client.ts';
import { createClient } from '../create-client.ts';
import { committeesOf } from '../epochs/committees.ts';
import { ClientError } from '../errors.ts';
import { readProvenEntry } from '../register.ts';
import { createEngine, type Engine } from './engine.ts';
import type { Distillery, DistilleryKeys, DistilleryOptions, TransferRequest, TransferResult } from './options.ts';
import { lifeMsOf } from './row-limits.ts';
import { createRowProver } from './row-prover.ts';
import type { QueuedTransfer } from './row-queue.ts';
import { findSenders, type Sender, type Senders } from './senders.ts';
import { createTrustedChain, type TrustedChain } from './trusted-chain.ts';

const LIFE_MS_MAX = 60_000;
const TRANSFERS_MAX_DEFAULT = 10_000;

/**
 * `url`: of brokers of one chain; the next one takes over when one is lost. `keys`: of one account or several. Throws ClientError
 * `bad-argument`; what fails later is thrown by ready() and transfer().
 */
export function openDistillery(
  url: string | readonly string[],
  keys: DistilleryKeys | readonly DistilleryKeys[],
  options: DistilleryOptions,
): Distillery {
  const urls = typeof url === 'string' ? [url] : url;
  const committees = committeesOf(options.chain);
  if (!committees.ok) throw new ClientError('bad-argument', `the chain cannot be read: ${committees.error}`);
  const lifeMs = lifeMsOf(options);
  if (!(lifeMs > 0 && lifeMs <= LIFE_MS_MAX)) {
    throw new ClientError('bad-argument', `a row lives up to ${LIFE_MS_MAX} ms, not ${lifeMs}`);
  }
  const { genesisHash } = committees.value;
  const client = createClient({
    url: urls,
    genesisHash: to0x(genesisHash),
    ...(options.fetch !== undefined && { fetch: options.fetch }),
  });
  const all = 'account' in keys ? [keys] : keys;
  const chain = createTrustedChain(client, committees.value, Date.now);
  const prove = options.prove === false ? undefined : (options.prove ?? createRowProver(client, chain));
  const open = async (): Promise<Opened> => {
    // Entries of another chain's node would only be called unproven.
    if (all.some(({ index }) => index === undefined)) await client.genesisHash();
    const senders = await findSenders(all, client, chain);
    return { senders, start: () => createEngine({ urls, genesisHash, senders, prove }, options) };
  };
  return createDistillery(open, createRecipients(client, chain), options.transfersMax ?? TRANSFERS_MAX_DEFAULT);
}

interface Opened {
  readonly senders: Senders;
  readonly start: () => Engine;
}

function createDistillery(open: () => Promise<Opened>, indexOf: IndexOf, transfersMax: number): Distillery {
  const running = new Set<(end: ClientError) => void>();
  let isClosed = false;
  let engine: Engine | undefined;
  const opening = open().then(({ senders, start }) => {
    if (isClosed) throw closed();
    engine = start();
    return { senders, engine };
  });
  // Thrown by ready() and transfer().
  opening.catch(() => {});

  /** Returns what takes it out of the queue, if it is no row yet. */
  async function queued(request: TransferRequest, settle: QueuedTransfer['settle'], isWanted: () => boolean) {
    const { senders, engine: started } = await opening;
    const sender = senderOf(senders, request.from);
    const recipient = await indexOf(request.to, request.signal);
    if (!isWanted()) return () => {};
    const { amount, tag = 0 } = request;
    const transfer = { sender, recipient, amount, tag, queuedAtMs: Date.now(), settle };
    started.add(transfer);
    return () => started.remove(transfer);
  }

  return {
    ready: async () => [...(await opening).senders.indices],
    async transfer(request) {
      checkRequest(request);
      if (isClosed) throw closed();
      if (running.size >= transfersMax) throw full(transfersMax);
      const { promise, resolve, reject } = Promise.withResolvers<TransferResult>();
      let remove: (() => void) | undefined;
      const finish = (end: TransferResult | Error) => {
        if (!running.delete(finish)) return;
        request.signal?.removeEventListener('abort', onAbort);
        remove?.();
        if (end instanceof Error) reject(end);
        else resolve(end);
      };
      const onAbort = () => finish(aborted());
      running.add(finish);
      request.signal?.addEventListener('abort', onAbort, { once: true });
      if (request.signal?.aborted) onAbort();
      queued(request, finish, () => running.has(finish)).then((undo) => {
        remove = undo;
      }, finish);
      return promise;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      engine?.close();
      for (const end of [...running]) end(closed());
    },
  };
}

function closed(): ClientError {
  return new ClientError('closed', 'the distillery was closed; rows that were sent may still run');
}

function aborted(): ClientError {
  return new ClientError('aborted', 'the caller ended the transfer; a row that was sent may still run');
}

function full(transfersMax: number): ClientError {
  return new ClientError('queue-full', `${transfersMax} transfers wait or are in flight: wait for some of them`);
}

/** Throws ClientError `bad-argument`. */
function checkRequest({ amount, tag = 0 }: TransferRequest): void {
  if (typeof amount !== 'bigint' || amount < 0n || amount >> 64n !== 0n) {
    throw new ClientError('bad-argument', `an amount is a bigint of 64 bits, not ${String(amount)}`);
  }
  if (tag >>> 0 !== tag) throw new ClientError('bad-argument', `a tag has 32 bits, not ${tag}`);
}

/** Throws ClientError `bad-argument`. */
function senderOf(senders: Senders, from: string | number | undefined): Sender {
  if (from === undefined && senders.all.length > 1) {
    throw new ClientError('bad-argument', 'this distillery has several senders: name one with "from"');
  }
  const named = typeof from === 'string' ? senders.ofAccount(from) : senders.get(from ?? -1);
  const found = from === undefined ? senders.all[0] : named;
  if (found === undefined) throw new ClientError('bad-argument', `${from} is no sender of this distillery`);
  return found;
}

type IndexOf = (to: string | number, signal: AbortSignal | undefined) => Promise<number>;

/** Each costs a pairing. */
const RECIPIENTS_MAX = 10_000;

/** A node that names a wrong index would direct the transfer, so only proven ones count. An account that registers again still receives. */
function createRecipients(client: Pick<Client, 'directory'>, chain: TrustedChain): IndexOf {
  const known = new Map<string, number>();
  return async (to, signal) => {
    if (typeof to === 'number') {
      if (to >>> 0 !== to) throw new ClientError('bad-argument', `an index has 32 bits, not ${to}`);
      return to;
    }
    const account = to.toLowerCase();
    const found = known.get(account);
    if (found !== undefined) return found;
    const { index } = await readProvenEntry(client, account, await chain(), signal === undefined ? {} : { signal });
    if (known.size >= RECIPIENTS_MAX) known.delete(known.keys().next().value as string);
    known.set(account, index);
    return index;
  };
}
