/** Log marks: from which record on the log must be kept, given the lowest view that still matters. */
export interface LogMarks {
  add(view: number, sequence: number): void;
  /** Everything before this sequence belongs to views below `view`; undefined when nothing may go. */
  sequenceBelow(view: number): number | undefined;
}

/** A mark every so many records is fine enough: the log is deleted by segments of megabytes. */
const RECORDS_PER_MARK = 256;

export function createLogMarks(): LogMarks {
  /** `lowest` view of the records from `sequence` up to the next mark. */
  const marks: { sequence: number; lowest: number; records: number }[] = [];
  return {
    add(view, sequence) {
      const last = marks[marks.length - 1];
      if (last && last.records < RECORDS_PER_MARK) {
        last.records++;
        last.lowest = Math.min(last.lowest, view);
      } else {
        marks.push({ sequence, lowest: view, records: 1 });
      }
    },
    sequenceBelow(view) {
      const first = marks.findIndex(({ lowest }, at) => lowest >= view || at === marks.length - 1);
      if (first <= 0) return undefined;
      marks.splice(0, first);
      return marks[0]?.sequence;
    },
  };
}
