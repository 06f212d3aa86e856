/**
 * Log marks: the first record that must be retained for a lowest view.
 *
 * Views need no epoch. The views of an epoch are above the boundary's, so a record that is marked with the boundary's view is retained until a
 * block above the boundary is committed. By then the boundary is committed, and the ledger has its record and its epoch's end (rule 10). Views
 * of fillers are above that: a log is retained longer by them, never shorter.
 */
import type { RestoredLog } from './restored-log.ts';

export interface LogMarks {
  /** Sequences ascend. */
  add(view: number, sequence: number): void;
  /** Earlier records belong to views below `view`; undefined: nothing may be pruned. */
  sequenceBelow(view: number): number | undefined;
}

/** Coarse, because the log is pruned by segments of megabytes. */
const RECORDS_PER_MARK = 256;

/** `restoredView`: the highest view in the log at start. */
export function createLogMarks(restoredView = 0): LogMarks {
  /** `highest`: view of the records up to the next mark. */
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

/** 0 for an empty log. */
export function highestRestoredView({ epochs }: RestoredLog): number {
  const views = [...epochs.values()].flatMap(({ certificates, blocks, votes, proposals }) => [
    ...[...certificates, ...votes].map(({ subject }) => subject.view),
    ...[...blocks, ...proposals].map(({ block }) => block.view),
  ]);
  return views.reduce<number>((highest, view) => Math.max(highest, view), 0);
}
