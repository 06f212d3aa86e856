/** State of a batch during its preparation. */
import type { Committed } from './committed.ts';
import { type GrowingList, push } from './growing-list.ts';
import type { LogTable } from './log-table.ts';
import type { Interactions, Overlay } from './overlay.ts';
import type { SegmentWriter } from './segment-writer.ts';

export interface Preparation {
  readonly committed: Committed;
  /** Newest first. */
  readonly lineage: readonly Overlay[];
  readonly slot: number;
  readonly writer: SegmentWriter;
  readonly interactions: Interactions;
  readonly diedSlot: GrowingList;
  readonly diedOrdinal: GrowingList;
  readonly logs: LogTable;
}

type Deaths = Pick<Preparation, 'diedSlot' | 'diedOrdinal' | 'logs'>;

export function die({ diedSlot, diedOrdinal, logs }: Deaths, slot: number, ordinal: number, bytes: number): void {
  push(diedSlot, slot);
  push(diedOrdinal, ordinal);
  logs.live[slot] = (logs.live[slot] as number) - bytes;
}
