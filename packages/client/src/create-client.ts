import { encodeBatch, WAIT_MS_DEFAULT } from '@slipstream/schema';
import type { GenesisHash } from '@slipstream/types';
import { askProof, askRowProof } from './ask-proof.ts';
import type { PageOptions, WaitCallOptions } from './call-options.ts';
import { createChainPin } from './chain-pin.ts';
import type { Client, ClientOptions } from './client.ts';
import { ClientError } from './errors.ts';
import { openEventStream } from './event-stream.ts';
import { createNodes } from './nodes.ts';
import type { ProvenClient, ProvenOptions, UnprovenOptions } from './proven-client.ts';
import { createProvenClient } from './proven-reads.ts';
import { createRequester, type Fetch } from './request.ts';
import type { SessionClient } from './session-actions.ts';
import { createSessionClient } from './session-client.ts';
import type { WebSocketConstructor } from './stream-socket.ts';
import { submitAndWait } from './submit-and-wait.ts';
import type { SignedTransaction } from './transactions.ts';

/** Throws ClientError `bad-argument` for an invalid token or genesis hash. */
export function createClient(options: ClientOptions): Client {
  const { timeoutMs = TIMEOUT_MS_DEFAULT, token, genesisHash } = options;
  const urls = typeof options.url === 'string' ? [options.url] : options.url;
  if (token !== undefined && !TOKEN.test(token)) throw new ClientError('bad-argument', NO_TOKEN);
  const fetchIt: Fetch = options.fetch ?? ((target, init) => fetch(target, init));
  const requesterOf = (url: string) => createRequester({ url, timeoutMs, token, fetch: fetchIt });
  const nodes = createNodes({ urls, requesterOf, genesisHash });
  const { call } = nodes;
  let knownSessions: SessionClient | undefined;
  let knownProven: ProvenClient | undefined;
  const pin = createChainPin(nodes.url(), genesisHash);
  let knownHash: GenesisHash | undefined;

  const page = ({ cursor, limit, signal }: PageOptions = {}) => ({ query: { cursor, limit }, signal });
  const waiting = ({ wait, timeoutMs: waitMs, signal }: WaitCallOptions = {}) => ({
    query: { wait, timeoutMs: wait === undefined ? undefined : waitMs },
    signal,
    ...(wait !== undefined && { timeoutMs: (waitMs ?? WAIT_MS_DEFAULT) + ANSWER_MARGIN_MS }),
  });

  const client: Client = {
    get session() {
      knownSessions ??= createSessionClient(client);
      return knownSessions;
    },
    get proven() {
      knownProven ??= createProvenClient(client, { chain: options.chain, heightMin: options.provenHeightMin ?? 0 });
      return knownProven;
    },
    get url() {
      return nodes.url();
    },
    call,
    status: (o) => call('status', { ...o }),
    genesis: (o) => call('genesis', { ...o }),
    genesisHash: async (o) => {
      knownHash ??= pin.check((await client.status(o)).genesisHash);
      return knownHash;
    },
    submit: (transaction, o) =>
      call('submitTransaction', {
        ...waiting(o),
        body: bytesOf(transaction),
      }),
    submitBatch: (transactions, o) => call('submitBatch', { body: encodeBatch(transactions.map(bytesOf)), ...o }),
    submitAndWait: (transaction, o) => submitAndWait(client, transaction, o),
    transaction: (id, o) => call('transaction', { params: { id }, ...waiting(o) }),
    proof: (id, o) => askProof(call, id, o),
    rowProof: (id, o) => askRowProof(call, id, o),
    handovers: (from, o) => call('handovers', { query: { from }, ...o }),
    account: ((account: string, { proven, ...o }: AnyOptions = {}) =>
      proven ? client.proven.account(account, o) : call('account', { params: { account }, ...o })) as Client['account'],
    accounts: (accounts, o) => call('accounts', { query: { accounts: accounts.join() }, ...o }),
    accountTransactions: (account, o) => call('accountTransactions', { params: { account }, ...page(o) }),
    accountData: ((account: string, name: string, { proven, ...o }: AnyOptions = {}) =>
      proven
        ? client.proven.accountData(account, name, o)
        : call('accountData', { params: { account }, query: { name }, ...o })) as Client['accountData'],
    directory: (entry, o) => call('directoryEntry', { params: { entry: String(entry) }, ...o }),
    block: (block, o) => call('block', { params: { block: String(block) }, ...o }),
    blocks: (o) => call('blocks', page(o)),
    blockTransactions: (block, o) => call('blockTransactions', { params: { block: String(block) }, ...page(o) }),
    blockOutcomes: (block, o) => call('blockOutcomes', { params: { block: String(block) }, ...o }),
    blockBatches: (block, o) => call('blockBatches', { params: { block: String(block) }, ...page(o) }),
    batch: (id, o) => call('distilledBatch', { params: { id }, ...o }),
    batchRows: (id, o) => call('distilledRows', { params: { id }, ...page(o) }),
    certificates: (height, o) => call('certificates', { params: { height: String(height) }, ...o }),
    committee: ({ epoch, ...o } = {}) => call('committee', { query: { epoch }, ...o }),
    epochs: (o) => call('epochs', page(o)),
    epoch: (epoch, o) => call('epoch', { params: { epoch: String(epoch) }, ...o }),
    validators: ({ waiting: isWaiting, ...o } = {}) => {
      const { query, signal } = page(o);
      return call('validators', { query: { ...query, waiting: isWaiting === true ? 'true' : undefined }, signal });
    },
    validator: (validator, o) => call('validator', { params: { validator }, ...o }),
    proposals: (o) => call('proposals', page(o)),
    proposal: (id, o) => call('proposal', { params: { id }, ...o }),
    fees: (o) => call('fees', { ...o }),
    peers: (o) => call('peers', { ...o }),
    faucet: (account, { amount, ...o } = {}) =>
      call('faucet', { ...waiting(o), body: { account, ...(amount !== undefined && { amount: String(amount) }) } }),
    blockPeer: async (peer, reason, o) => {
      await call('blockPeer', { params: { peer }, body: reason === undefined ? {} : { reason }, ...o });
    },
    unblockPeer: async (peer, o) => {
      await call('unblockPeer', { params: { peer }, body: {}, ...o });
    },
    setLogLevel: (level, o) => call('setLogLevel', { body: { level }, ...o }),
    drain: (request = {}, o) => call('drain', { body: request, ...o }),
    undrain: (o) => call('undrain', { body: {}, ...o }),
    fleet: (o) => call('fleet', { ...o }),
    // Most clients open none, and a page's first load is smaller without their forms.
    app: async (name, o) => (await import('./application/open-application.ts')).openApplication(client, name, o),
    events: (o) => openEventStream({ urls, genesisHash }, options.WebSocket ?? platformWebSocket(), o),
  };
  return client;
}

type AnyOptions = ProvenOptions | UnprovenOptions;

const TIMEOUT_MS_DEFAULT = 10_000;

/** For the answer, on top of the requested wait. */
const ANSWER_MARGIN_MS = 5_000;

/** Characters of a header. The error leaves out the token, because errors are logged. */
const TOKEN = /^[!-~]{1,256}$/;

const NO_TOKEN = 'the token must be 1 to 256 visible ASCII characters, without spaces or line breaks';

function bytesOf(transaction: SignedTransaction | Uint8Array): Uint8Array {
  return transaction instanceof Uint8Array ? transaction : transaction.bytes;
}

function platformWebSocket(): WebSocketConstructor {
  if (typeof WebSocket === 'undefined')
    throw new ClientError('bad-argument', 'this platform has no WebSocket: pass one');
  return WebSocket;
}
