/** What the page's light client verified of the selected node. */
import type { NodeFault } from '@slipstream/client/light';
import { useSyncExternalStore } from 'react';
import { chosenUrl } from '../node/chosen.ts';
import type { HeightVerdict, LiveCounters } from './live-message.ts';
import { onAnswer, onWorkerLost, sendToWorker } from './worker.ts';

/** As many as the timeline shows. */
const VERDICTS_MAX = 240;
/** The first view and its data come before the worker. After the worker was lost: its file may be gone since the node was updated. */
const START_AFTER_MS = 2_000;
const RESTART_MS = 10_000;

interface Lie extends NodeFault {
  /** The light client asks the node again then, Unix time. */
  readonly untilMs: number | null;
}

interface LiveState {
  /** By height, in order of verification. */
  readonly verdicts: ReadonlyMap<number, HeightVerdict>;
  readonly counters: LiveCounters;
  /** Of the genesis file that the node gave. */
  readonly genesisHash: string | null;
  /** The first thing that the node said and that does not hold. */
  readonly lie: Lie | null;
}

const NOTHING: LiveState = {
  verdicts: new Map(),
  counters: { verified: 0, refused: 0, passedOver: 0, busyShare: 0 },
  genesisHash: null,
  lie: null,
};

/** The others say that a node is slow, behind, new, or of another chain since it was reset. */
const LIES: ReadonlySet<string> = new Set(['false-certificate', 'false-handover', 'contradiction']);

const listeners = new Set<() => void>();
let state = NOTHING;
/** Genesis hash of the chain that is followed. */
let followed: string | undefined;
let starting: ReturnType<typeof setTimeout> | undefined;

onAnswer((message) => {
  if (message.type !== 'fault' && message.type !== 'height') return;
  const { genesisHash, url } = message;
  if (url !== chosenUrl() || (followed !== undefined && genesisHash !== followed)) return;
  if (message.type === 'fault') {
    const { fault, untilMs } = message;
    if (LIES.has(fault.code)) change({ lie: state.lie ?? { ...fault, untilMs } });
    return;
  }
  const { verdict, counters } = message;
  const verdicts = new Map([...state.verdicts, [verdict.height, verdict] as const].slice(-VERDICTS_MAX));
  change({ verdicts, counters, genesisHash });
});

onWorkerLost(() => {
  const again = followed;
  forget();
  if (again !== undefined) setTimeout(() => follow(again), RESTART_MS);
});

/** Of a height: undefined while nothing was verified. A block other than the certified one is a fault too. */
export function verdictOn(
  verdict: HeightVerdict | undefined,
  blockId: string | null,
): 'verified' | { readonly fault: string } | undefined {
  if (verdict === undefined || blockId === null) return undefined;
  if (verdict.fault !== null) return { fault: verdict.fault };
  return verdict.blockId === blockId ? 'verified' : { fault: `block ${verdict.blockId} is certified at this height` };
}

/** `select` must return the same object when nothing changed. */
export function useLive<T>(select: (state: LiveState) => T): T {
  return useSyncExternalStore(subscribe, () => select(state));
}

/** The light client follows the selected node, from soon on. */
export function follow(genesisHash: string): void {
  if (state.genesisHash !== null && state.genesisHash !== genesisHash) forget();
  followed = genesisHash;
  clearTimeout(starting);
  starting = setTimeout(() => sendToWorker({ type: 'follow', url: chosenUrl(), genesisHash }), START_AFTER_MS);
}

/** Another node or chain is selected. */
export function forget(): void {
  clearTimeout(starting);
  followed = undefined;
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
