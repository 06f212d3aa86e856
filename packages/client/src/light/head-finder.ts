/**
 * Proves the newest height that nodes report, one at a time.
 *
 *   nodes that report more than the head --the one asked longest ago--> its certificates --hold--> head --rest--> again
 *                                                                                 \--not yet--> later --five times--> unproven
 *                                                                                 \--do not hold--> false-certificate
 *
 * The one asked longest ago: so each node proves what it reports, and a node that invents heights does not hold up the others. Heights between are
 * skipped, so following costs the same whatever the chain's rate; or each is verified, within a backlog. After a check it rests, within its
 * share of a core.
 */
import type { LightChain } from './chain.ts';
import type { Fork } from './followed-handovers.ts';
import { checkHeight, type HeightVerdict } from './height-check.ts';
import type { LightNode } from './node.ts';
import type { HeightCheck, LightClientOptions } from './options.ts';

interface HeadFinder {
  /** A node reports more than before. */
  wake(): void;
  stop(): void;
}

interface FinderComponents {
  readonly chain: LightChain;
  readonly nodes: () => readonly LightNode[];
  readonly headHeight: () => number;
  readonly onCertified: (node: LightNode, verdict: Extract<HeightVerdict, { readonly type: 'certified' }>) => void;
  readonly onCheck: (check: HeightCheck) => void;
  readonly heights: NonNullable<LightClientOptions['heights']>;
  readonly onFork: (fork: Fork) => void;
  readonly busyShareMax: number;
}

interface Asked {
  readonly askedMs: number;
  readonly notBeforeMs: number;
  /** Without a certificate, one after another. */
  readonly misses: number;
  /** Without certificates while the node has newer heights: skipped, where each is verified. */
  readonly skipped: number;
}

const NEVER: Asked = { askedMs: 0, notBeforeMs: 0, misses: 0, skipped: 0 };
/** Below a node's newest: a backlog is not worked off for ever. */
const BACKLOG_MAX = 16;
/** A certificate is reported before it can be read. */
const AGAIN_MS = 700;
const MISSES_MAX = 5;
/** After it proved nothing for so many times. */
const UNPROVEN_MS = 30_000;
/** Of a slow node, which keeps the others waiting: with its handovers. */
const ASK_MS_MAX = 30_000;

export function createHeadFinder(components: FinderComponents): HeadFinder {
  const { chain, nodes, headHeight, onCertified, onCheck, onFork, heights, busyShareMax } = components;
  const asked = new WeakMap<LightNode, Asked>();
  const stopped = new AbortController();
  let isRunning = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const askedOf = (node: LightNode) => asked.get(node) ?? NEVER;

  function candidates(): readonly LightNode[] {
    return nodes().filter((node) => {
      const { state, reportedHeight } = node.record.view();
      return state === 'following' && reportedHeight !== null && reportedHeight > Math.max(headHeight(), skipped(node));
    });
  }

  const skipped = (node: LightNode) => askedOf(node).skipped;

  /** Checked next. */
  function heightOf(node: LightNode): number {
    const reported = node.record.view().reportedHeight ?? 0;
    if (heights === 'newest') return reported;
    return Math.max(headHeight() + 1, skipped(node) + 1, reported - BACKLOG_MAX + 1);
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const waiting = candidates();
      const nowMs = performance.now();
      const due = waiting.filter((node) => askedOf(node).notBeforeMs <= nowMs);
      const next = due.toSorted((a, b) => askedOf(a).askedMs - askedOf(b).askedMs)[0];
      if (next !== undefined) await rest(await prove(next));
      else return wakeAt(Math.min(...waiting.map((node) => askedOf(node).notBeforeMs)) - nowMs);
    }
  }

  /** Time of the checks, ms. */
  async function prove(node: LightNode): Promise<number> {
    const height = heightOf(node);
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(ASK_MS_MAX)]);
    const verdict = await checkHeight(node, height, chain, signal);
    if (stopped.signal.aborted) return 0;
    if (verdict.type === 'forked') {
      onFork(verdict.fork);
      return 0;
    }
    const askedMs = performance.now();
    if (verdict.type === 'certified') {
      asked.set(node, { ...NEVER, askedMs, skipped: skipped(node) });
      node.record.proved(height);
      onCertified(node, verdict);
    } else {
      noteMiss(node, height, verdict, askedMs);
    }
    if (verdict.type === 'missing') return 0;
    const result = verdict.type === 'certified' ? verdict.certified : { fault: verdict.detail };
    onCheck({ height, node: node.url, result, tookMs: verdict.tookMs });
    return verdict.tookMs;
  }

  function noteMiss(
    node: LightNode,
    height: number,
    verdict: Extract<HeightVerdict, { readonly type: 'missing' | 'false' }>,
    askedMs: number,
  ): void {
    const misses = askedOf(node).misses + 1;
    const isTired = verdict.type === 'missing' && misses % MISSES_MAX === 0;
    const isSkipped = isTired && height < (node.record.view().reportedHeight ?? 0) && heights === 'each';
    const isUnproven = isTired && !isSkipped;
    const notBeforeMs = askedMs + (isUnproven ? UNPROVEN_MS : AGAIN_MS);
    asked.set(node, { askedMs, notBeforeMs, misses, skipped: isSkipped ? height : skipped(node) });
    if (verdict.type === 'false') node.fault(verdict.code, verdict.detail);
    else if (isUnproven) node.fault('unproven', `it reports height ${height}: ${verdict.detail}`);
  }

  function rest(tookMs: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, tookMs / busyShareMax - tookMs);
    });
  }

  function wakeAt(inMs: number): void {
    clearTimeout(timer);
    if (Number.isFinite(inMs)) timer = setTimeout(wake, Math.max(1, inMs));
  }

  function wake(): void {
    if (isRunning || stopped.signal.aborted) return;
    isRunning = true;
    void run().finally(() => {
      isRunning = false;
    });
  }

  return {
    wake,
    stop() {
      clearTimeout(timer);
      stopped.abort();
    },
  };
}
