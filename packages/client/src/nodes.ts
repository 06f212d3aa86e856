/**
 * Several nodes of one chain behind one client.
 *
 *   call --> the node that answered last --its chain, once--> request --no answer--> the next one, for this call or from then on
 *
 * What only asks goes on to the next node at once, each node once. What acts (a submission, the faucet) is sent to a second node within
 * a call only when the first has refused it unseen: after a lost answer nobody knows what was done, and a refusal by the second
 * node would look like the end of it. The caller is told, and what it sends next goes to the next node; the id makes that safe for
 * transactions. Nodes that have too much to do are not passed over: all of them would be asked by everybody.
 */
import { ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import { createChainPin } from './chain-pin.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { Requester } from './request.ts';

interface Nodes {
  readonly call: Requester;
  /** Of the node that is asked next. */
  url(): string;
  /** It did not answer: another one is asked next. */
  passOver(url: string): void;
}

interface NodesOptions {
  readonly urls: readonly string[];
  readonly requesterOf: (url: string) => Requester;
  /** Of the chain that all of them have to be of. */
  readonly genesisHash: string | undefined;
}

interface Node {
  readonly url: string;
  readonly call: Requester;
  /** Throws ClientError `wrong-chain`, and whatever a request ends with. Settles at once when it is known. */
  checkChain(signal: AbortSignal | undefined): Promise<void>;
  /** It may be another one when it comes back. */
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

/** They would be the same at any node. */
const LASTING: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['aborted', 'rate-limited', 'overloaded']);

/** Throws ClientError `bad-argument` for no node, for what is no address, and for several nodes without the hash of their chain. */
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
      throw new ClientError('bad-argument', 'an act of an operator is for one node: make a client of that one');
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
        if (isSent && acts(name) && error.code !== 'not-ready') throw error;
        // One that may pass says more than one that will not.
        if (failure?.retryable !== true) failure = error;
      }
    }
    throw failure;
  };

  return {
    call: isOne ? callOne : callAny,
    url: () => node(at).url,
    passOver(url) {
      const failed = nodes.find((each) => each.url === url);
      if (failed !== undefined) passOver(failed);
    },
  };
}

/** What is none would be noticed when it is needed: by a stream, long after it was opened. */
function checkAddress(url: string): void {
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return;
  throw new ClientError('bad-argument', `"${url}" is no address of a node: http://127.0.0.1:8080 would be one`);
}

/** A node that will not even say which chain it is of is none for this client, unless it is the client that asks too much. */
function isPassedOver({ code }: ClientError, isSent: boolean): boolean {
  return isSent ? PASSED_OVER.has(code) : !LASTING.has(code);
}

function acts(name: RouteName): boolean {
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
