/** Progress of the chain during faults: gaps without a final block and their causes, recoveries. */
import type { Fault } from './site.ts';

export interface Gap {
  readonly gapMs: number;
  readonly atMs: number;
  readonly cause: string;
}

export interface Progress {
  /** A peer reported the view as final. */
  final(view: number): void;
  /** Begins a phase, an episode or the healing after it. Returns a function that ends the phase. */
  begin(what: string): () => void;
  longestGap(): Gap | undefined;
  readonly finalViews: number;
}

interface Span {
  readonly what: string;
  readonly fromMs: number;
  toMs: number;
}

export function createProgress(nowMs: () => number): Progress {
  const startMs = nowMs();
  const spans: Span[] = [];
  let lastMs = startMs;
  let highest = 0;
  let finalViews = 0;
  let longest: { readonly fromMs: number; readonly toMs: number } | undefined;

  function note(atMs: number): void {
    if (longest === undefined || atMs - lastMs > longest.toMs - longest.fromMs)
      longest = { fromMs: lastMs, toMs: atMs };
  }

  return {
    final(view) {
      if (view <= highest) return;
      highest = view;
      finalViews += 1;
      const atMs = nowMs();
      note(atMs);
      lastMs = atMs;
    },
    begin(what) {
      const span = { what, fromMs: nowMs(), toMs: Number.POSITIVE_INFINITY };
      spans.push(span);
      return () => {
        span.toMs = nowMs();
      };
    },
    longestGap() {
      note(nowMs());
      if (longest === undefined) return undefined;
      const { fromMs, toMs } = longest;
      const under = spans.filter((span) => span.fromMs < toMs && span.toMs > fromMs).map(({ what }) => what);
      const cause = under.length === 0 ? 'no fault was active' : under.join('; then ');
      return { gapMs: Math.round(toMs - fromMs), atMs: Math.round(fromMs - startMs), cause };
    },
    get finalViews() {
      return finalViews;
    },
  };
}

/** `kill validator-2; delay validator-0 (delayMs 120)` */
export function describeFaults(faults: readonly Fault[]): string {
  return faults
    .map(({ kind, victims, values }) => {
      const drawn = Object.entries(values).map(([name, value]) => `${name} ${value}`);
      const details = drawn.length === 0 ? '' : ` (${drawn.join(', ')})`;
      return [kind, ...victims].join(' ') + details;
    })
    .join(' + ');
}
