/** The head of a light client, what contradicts it, and who waits for it. */
import { blame } from '../accountability/blame.ts';
import { ClientError } from '../errors.ts';
import { type CertifiedHeight, createCertifiedHeights } from './certified-heights.ts';
import type { LightChain } from './chain.ts';
import type { Fork } from './followed-handovers.ts';
import { checkHeight } from './height-check.ts';
import type { LightNode } from './node.ts';
import type { ReportedBlock } from './node-record.ts';
import { type Conflict, HEIGHTS_MAX, type LightClientOptions, type LightHead } from './options.ts';
import { differenceOf, noteLag } from './watch.ts';

interface Heads {
  newest(): LightHead | undefined;
  height(): number;
  conflict(): Conflict | undefined;
  add(node: LightNode, certified: CertifiedHeight): void;
  /** Two certified chains: nothing is read any more. */
  fork(fork: Fork): void;
  /** What a node reports with what is proven. */
  compare(node: LightNode, block: ReportedBlock | undefined): void;
  /** Of reads of present state. */
  presentHeightMin(): number;
  /** Throws ClientError `closed` or `forked`. */
  checkOpen(): void;
  /** `callers`: the part of `signal` that is the caller's. */
  reached(height: number, signal: AbortSignal, callers: AbortSignal | undefined): Promise<LightHead>;
  close(): void;
}

interface Waiting {
  readonly height: number;
  readonly resolve: (head: LightHead) => void;
  readonly reject: (error: ClientError) => void;
}

const BEHIND_HEIGHTS = 64;
const BEHIND_MS = 15_000;
const STALLED_MS = 30_000;
const TICK_MS = 1_000;
/** For the certificates of a node that contradicts what is proven. */
const ASK_MS_MAX = 30_000;
const CALLERS_MAX = 1_024;

/** `onFork`: what was proven so far is trusted no more. */
export function createHeads(
  chain: LightChain,
  nodes: () => readonly LightNode[],
  onFork: () => void,
  options: LightClientOptions,
): Heads {
  const { checkpoint, behindHeights = BEHIND_HEIGHTS, behindMs = BEHIND_MS, stalledMs = STALLED_MS } = options;
  const heights = createCertifiedHeights(HEIGHTS_MAX);
  const waiting = new Set<Waiting>();
  const questioned = new WeakSet<LightNode>();
  const stopped = new AbortController();
  let sinceMs = Date.now();
  let isStalled = false;
  let conflict: Conflict | undefined;
  let head: LightHead | undefined;
  const height = () => head?.height ?? checkpoint?.height ?? 0;
  const ticks = setInterval(tick, TICK_MS);

  function tick(): void {
    const nowMs = Date.now();
    for (const node of nodes()) {
      const reported = node.record.view().reportedHeight ?? 0;
      const lag = { head: height(), proven: heights.firstAbove(reported), nowMs };
      noteLag(node, lag, { heights: behindHeights, ms: behindMs });
    }
    if (isStalled || nowMs - sinceMs < stalledMs) return;
    isStalled = true;
    options.onStalled?.({ sinceMs });
  }

  function add(node: LightNode, certified: CertifiedHeight): void {
    if (stopped.signal.aborted) return;
    const rival = heights.add(certified);
    if (rival !== undefined) return fork({ first: rival, second: certified });
    for (const other of nodes()) if (other !== node) compare(other, other.record.reportedAt(certified.height));
    if (certified.height <= height()) return;
    const { epoch, view, blockId, stateDigest, atMs } = certified;
    head = { height: certified.height, epoch, view, blockId, stateDigest, node: node.url, atMs };
    sinceMs = atMs;
    isStalled = false;
    options.onHead?.(head);
    for (const one of [...waiting]) if (head.height >= one.height) one.resolve(head);
  }

  function compare(node: LightNode, block: ReportedBlock | undefined): void {
    const difference = block && differenceOf(block, heights.at(block.height));
    if (difference === undefined || questioned.has(node)) return;
    questioned.add(node);
    void question(node, block as ReportedBlock, difference).finally(() => questioned.delete(node));
  }

  /** Its certificates either hold, then there is a fork, or do not: then it lies. */
  async function question(node: LightNode, block: ReportedBlock, difference: string): Promise<void> {
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(ASK_MS_MAX)]);
    const verdict = await checkHeight(node, block.height, chain, signal);
    if (stopped.signal.aborted) return;
    if (verdict.type === 'certified') add(node, verdict.certified);
    if (verdict.type === 'forked') fork(verdict.fork);
    if (conflict === undefined) node.fault('contradiction', difference);
  }

  function fork({ first, second }: Fork): void {
    if (stopped.signal.aborted) return;
    const judged = blame(first.certificates, second.certificates, chain.committees);
    const culprits = judged.ok ? judged.value : judged.error;
    const { certificates } = second;
    conflict = { nodes: [first.node, second.node], first: first.certificates, second: certificates, culprits };
    onFork();
    stop(forked(conflict));
    options.onConflict?.(conflict);
  }

  function stop(error: ClientError): void {
    clearInterval(ticks);
    stopped.abort();
    for (const { reject } of [...waiting]) reject(error);
  }

  function checkOpen(): void {
    if (conflict !== undefined) throw forked(conflict);
    if (stopped.signal.aborted) throw closed();
  }

  return {
    newest: () => head,
    height,
    conflict: () => conflict,
    add,
    fork,
    compare,
    presentHeightMin: () => height() - behindHeights,
    checkOpen,
    async reached(at, signal, callers) {
      checkOpen();
      if (head !== undefined && head.height >= at) return head;
      if (waiting.size >= CALLERS_MAX) throw new ClientError('queue-full', `${CALLERS_MAX} callers wait for a height`);
      return waitFor(waiting, at, signal, callers);
    },
    close: () => stop(closed()),
  };
}

function waitFor(
  waiting: Set<Waiting>,
  height: number,
  signal: AbortSignal,
  callers: AbortSignal | undefined,
): Promise<LightHead> {
  return new Promise<LightHead>((resolve, reject) => {
    const one: Waiting = { height, resolve: end(resolve), reject: end(reject) };
    const aborted = () => {
      const isCallers = callers?.aborted === true;
      one.reject(
        new ClientError(isCallers ? 'aborted' : 'timeout', `no height of ${height} or above was proven in time`),
      );
    };
    function end<T>(settle: (value: T) => void): (value: T) => void {
      return (value) => {
        waiting.delete(one);
        signal.removeEventListener('abort', aborted);
        settle(value);
      };
    }
    waiting.add(one);
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted);
  });
}

function forked(conflict: Conflict): ClientError {
  const { nodes, first, second } = conflict;
  const text = `${nodes[0]} and ${nodes[1]} prove two chains, at heights ${first.height} and ${second.height}`;
  return new ClientError('forked', text, { conflict });
}

function closed(): ClientError {
  return new ClientError('closed', 'the light client was closed');
}
