/**
 *   call --> the node that answered last --check its chain once--> request --no answer--> the next node
 *
 * A read tries each node once. A write (submission, faucet) tries a second node only when the first answered `not-ready` or was never sent
 * the request. After a lost answer the outcome is unknown, and a second node's refusal would look final: the call throws, and the caller's
 * next request goes to the next node. Overloaded nodes are not skipped: all clients would move to the same node.
 */
import { ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import { createChainPin } from './chain-pin.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { Requester } from './request.ts';

interface Nodes {
  readonly call: Requester;
  /** Of the node for the next request. */
  url(): string;
}

interface NodesOptions {
  readonly urls: readonly string[];
  readonly requesterOf: (url: string) => Requester;
  readonly genesisHash: string | undefined;
}

interface Node {
  readonly url: string;
  readonly call: Requester;
  /** Throws ClientError `wrong-chain` or the request's error. At once when checked before. */
  checkChain(signal: AbortSignal | undefined): Promise<void>;
  /** After a failure another node may run at this address. */
  forget(): void;
}

export const NODES_MAX = 64;

const PASSED_OVER: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>([
  'network',
  'timeout',
  'request-timeout',
  'not-ready',
  'internal',
  'malformed-answer',
  'wrong-chain',
]);

/** Another node would not avoid them. */
const LASTING: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['aborted', 'rate-limited', 'overloaded']);

/** Throws ClientError `bad-argument` for no URL, too many, an invalid one, or several without a genesis hash. */
export function createNodes({ urls, requesterOf, genesisHash }: NodesOptions): Nodes {
  const isOne = urls.length === 1;
  if (urls.length < 1 || urls.length > NODES_MAX) {
    throw new ClientError('bad-argument', `a client is given 1 to ${NODES_MAX} nodes, not ${urls.length}`);
  }
  if (!isOne && genesisHash === undefined) {
    throw new ClientError('bad-argument', 'of several nodes the genesis hash of their chain has to be given');
  }
  for (const url of urls) checkAddress(url);
  const nodes = urls.map((url) => createNode(url, requesterOf(url), genesisHash));
  let at = 0;
  const node = (index: number) => nodes[index % nodes.length] as Node;

  function passOver(failed: Node): void {
    failed.forget();
    if (node(at) === failed) at = (at + 1) % nodes.length;
  }

  const callOne: Requester = (name, parts) => node(0).call(name, parts);

  const callAny: Requester = async (name, parts = {}) => {
    if (ROUTE_TABLE[name].tag === 'admin') {
      throw new ClientError('bad-argument', 'an operator action is for one node: make a client of that one');
    }
    const first = at;
    let failure: ClientError | undefined;
    for (let tried = 0; tried < nodes.length; tried++) {
      const asked = node(first + tried);
      let isSent = false;
      try {
        await asked.checkChain(parts.signal);
        isSent = true;
        const answer = await asked.call(name, parts);
        at = nodes.indexOf(asked);
        return answer;
      } catch (error) {
        if (!(error instanceof ClientError) || !isPassedOver(error, isSent)) throw error;
        passOver(asked);
        if (isSent && isWrite(name) && error.code !== 'not-ready') throw error;
        // A retryable failure tells more than a permanent one.
        if (failure?.retryable !== true) failure = error;
      }
    }
    throw failure;
  };

  return {
    call: isOne ? callOne : callAny,
    url: () => node(at).url,
  };
}

/** A stream would use the URL much later. */
export function checkAddress(url: string): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return;
  throw new ClientError('bad-argument', `"${url}" is no address of a node: http://127.0.0.1:8080 would be one`);
}

/** Before the request was sent, every failure of the chain check counts, except aborts and load limits. */
function isPassedOver({ code }: ClientError, isSent: boolean): boolean {
  return isSent ? PASSED_OVER.has(code) : !LASTING.has(code);
}

function isWrite(name: RouteName): boolean {
  return ROUTE_TABLE[name].method !== 'GET';
}

function createNode(url: string, call: Requester, genesisHash: string | undefined): Node {
  const pin = createChainPin(url, genesisHash);
  let isKnown = false;
  return {
    url,
    call,
    async checkChain(signal) {
      if (isKnown) return;
      pin.check((await call('status', { signal })).genesisHash);
      isKnown = true;
    },
    forget() {
      isKnown = false;
    },
  };
}
