import type { Committed } from '../committed/committed.ts';
import type { LogTable } from '../log/log-table.ts';
import type { SegmentWriter } from '../log/segment-writer.ts';
import type { Interactions, Overlay } from '../overlay/overlay.ts';
import type { GrowingList } from '../typed-arrays/growing-list.ts';

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
