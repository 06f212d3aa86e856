/** Log marks: the first log record that must be retained for a given lowest view. */
import type { Restored } from './context.ts';

export interface LogMarks {
  /** A record of this view is at this sequence; sequences ascend. */
  add(view: number, sequence: number): void;
  /** Everything before this sequence belongs to views below `view`; undefined when nothing may be pruned. */
  sequenceBelow(view: number): number | undefined;
}

/** Coarse marks suffice: the log is deleted by segments of megabytes. */
const RECORDS_PER_MARK = 256;

/** `restoredView`: the highest view in the log at start. */
export function createLogMarks(restoredView = 0): LogMarks {
  /** `highest`: highest view of the records from `sequence` up to the next mark. */
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

/** The highest view in a restored log; 0 when it is empty. */
export function highestRestoredView({ certificates, blocks, votes, proposals }: Restored): number {
  const views = [
    ...[...certificates, ...votes].map(({ subject }) => subject.view),
    ...[...blocks, ...proposals].map(({ block }) => block.view),
  ];
  return views.reduce<number>((highest, view) => Math.max(highest, view), 0);
}
