import type { Tone } from '../design/badge.tsx';
import type { ViewRow } from '../stream/snapshot.ts';

export interface Progress {
  readonly tone: Tone;
  readonly word: string;
}

export function progressOf({ times, nullified }: ViewRow): Progress {
  if (times.committedMs !== undefined) return { tone: 'good', word: 'committed' };
  if (times.finalizedMs !== undefined) return { tone: 'good', word: 'final' };
  if (nullified !== null) return { tone: 'warn', word: 'nullified' };
  if (times.certifiedMs !== undefined) return { tone: 'info', word: 'certified' };
  if (times.notarizedMs !== undefined) return { tone: 'info', word: 'notarized' };
  return { tone: 'plain', word: 'proposed' };
}

/** From the proposal to the finalization, both as seen by this node. */
export function finalityMs({ times }: ViewRow): number | null {
  const { proposedMs, finalizedMs } = times;
  return proposedMs === undefined || finalizedMs === undefined ? null : Math.max(0, finalizedMs - proposedMs);
}
