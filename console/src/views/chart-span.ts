/** The time span of all charts, kept while the tab is open. */
import { useSyncExternalStore } from 'react';

export const SPANS = ['10 min', '24 h'] as const;
type ChartSpan = (typeof SPANS)[number];

const KEY = 'slipstream-chart-span';
const listeners = new Set<() => void>();
let span: ChartSpan = SPANS.find((each) => each === sessionStorage.getItem(KEY)) ?? SPANS[0];

export function chooseSpan(chosen: ChartSpan): void {
  span = chosen;
  sessionStorage.setItem(KEY, chosen);
  for (const listener of listeners) listener();
}

export function useSpan(): ChartSpan {
  return useSyncExternalStore(subscribe, () => span);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
