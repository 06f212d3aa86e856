/** Log marks: from which record on the log must be kept, given the lowest view that still matters. */
import type { Restored } from './context.ts';

export interface LogMarks {
  /** A record of this view stands at this sequence; sequences ascend. */
  add(view: number, sequence: number): void;
  /** Everything before this sequence belongs to views below `view`; undefined when nothing may go. */
  sequenceBelow(view: number): number | undefined;
}

/** A mark every so many records is fine enough: the log is deleted by segments of megabytes. */
const RECORDS_PER_MARK = 256;

/** `restoredView`: the highest view that the log of earlier lives speaks of. */
export function createLogMarks(restoredView = 0): LogMarks {
  /** `highest` view of the records from `sequence` up to the next mark. */
  const marks = [{ sequence: 0, highest: restoredView, records: RECORDS_PER_MARK }];
  return {
    add(view, sequence) {
      const last = marks[marks.length - 1];
      if (last && last.records < RECORDS_PER_MARK) {
        last.records++;
        last.highest = Math.max(last.highest, view);
      } else {
        marks.push({ sequence, highest: view, records: 1 });
      }
    },
    sequenceBelow(view) {
      const kept = marks.findIndex(({ highest }, at) => highest >= view || at === marks.length - 1);
      if (kept === 0) return undefined;
      marks.splice(0, kept);
      return marks[0]?.sequence;
    },
  };
}

/** The highest view that a restored log speaks of, 0 when it is empty. */
export function highestRestoredView({ certificates, blocks, votes, proposals }: Restored): number {
  const views = [
    ...[...certificates, ...votes].map(({ subject }) => subject.view),
    ...[...blocks, ...proposals].map(({ block }) => block.view),
  ];
  return views.reduce<number>((highest, view) => Math.max(highest, view), 0);
}
