/** What this page verified of the selected node by itself. */
import { useSyncExternalStore } from 'react';
import { chosenUrl } from '../node/chosen.ts';
import type { BlockVerdict, CertificateVerdict, LiveCounters } from './live-message.ts';
import { onAnswer, onWorkerLost, sendToWorker } from './worker.ts';

/** As many as the timeline shows. */
const VERDICTS_MAX = 240;

interface LiveState {
  /** By height, in order of verification. */
  readonly verdicts: ReadonlyMap<number, BlockVerdict>;
  readonly counters: LiveCounters;
  /** Of the genesis file that the node gave. */
  readonly genesisHash: string | null;
  /** The first that did not hold. */
  readonly refused: BlockVerdict | null;
}

const NOTHING: LiveState = {
  verdicts: new Map(),
  counters: { verified: 0, refused: 0, passedOver: 0, waiting: 0, busyShare: 0 },
  genesisHash: null,
  refused: null,
};

const listeners = new Set<() => void>();
let state = NOTHING;
let isFollowing = false;

onAnswer((message) => {
  if (message.type === 'counters') change({ counters: message.counters });
  if (message.type !== 'block') return;
  const { verdict, counters, genesisHash } = message;
  const verdicts = new Map([...state.verdicts, [verdict.height, verdict] as const].slice(-VERDICTS_MAX));
  change({ verdicts, counters, genesisHash, refused: state.refused ?? (isRefused(verdict) ? verdict : null) });
});

onWorkerLost(forget);

export function isRefused({ finalization, state: certified }: Pick<BlockVerdict, 'finalization' | 'state'>): boolean {
  return typeof finalization === 'object' || typeof certified === 'object';
}

/** Of both certificates: the fault of one, or that one at least holds. */
export function summaryOf(verdict: BlockVerdict | undefined): CertificateVerdict | undefined {
  if (verdict === undefined) return undefined;
  const both = [verdict.finalization, verdict.state];
  return both.find((each) => typeof each === 'object') ?? both.find((each) => each === 'verified') ?? 'missing';
}

/** `select` must return the same object when nothing changed. */
export function useLive<T>(select: (state: LiveState) => T): T {
  return useSyncExternalStore(subscribe, () => select(state));
}

/** The worker verifies the selected node from now on. */
export function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  sendToWorker({ type: 'follow', url: chosenUrl() });
}

/** Another node or chain is selected. */
export function forget(): void {
  isFollowing = false;
  change(NOTHING);
}

function change(fields: Partial<LiveState>): void {
  state = { ...state, ...fields };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
