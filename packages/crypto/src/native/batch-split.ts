/**
 * Splits a batch into jobs, between which a thread serves more urgent work. Statements of one message stay together, in order of first
 * appearance.
 */
import type { Statement } from '@slipstream/ports';

/** Estimated us of processor time (bench `batch`). */
const JOB_US = 450;
const FIRST_OF_MESSAGE_US = 500;
const FURTHER_OF_MESSAGE_US = 120;
/** 16 distinct ones: a longer job saves little more, and own signing waits for one. */
const STATEMENTS_US_MAX = 16 * FIRST_OF_MESSAGE_US;

interface BatchJob {
  /** Places in the batch. */
  readonly places: readonly number[];
  readonly costUs: number;
}

export function splitBatch(batch: readonly Statement[]): readonly BatchJob[] {
  const groups = placesByMessage(batch);
  const allUs = groups.reduce((sum, { length }) => sum + FIRST_OF_MESSAGE_US + (length - 1) * FURTHER_OF_MESSAGE_US, 0);
  const shareUs = allUs / Math.ceil(allUs / STATEMENTS_US_MAX);
  const jobs: { readonly places: number[]; statementsUs: number }[] = [];
  for (const group of groups) {
    for (const [nth, place] of group.entries()) {
      const last = jobs.at(-1);
      const isFurther = nth > 0 && last !== undefined && last.statementsUs < STATEMENTS_US_MAX;
      if (isFurther) {
        last.places.push(place);
        last.statementsUs += FURTHER_OF_MESSAGE_US;
      } else if (nth === 0 && last !== undefined && last.statementsUs < shareUs) {
        last.places.push(place);
        last.statementsUs += FIRST_OF_MESSAGE_US;
      } else {
        jobs.push({ places: [place], statementsUs: FIRST_OF_MESSAGE_US });
      }
    }
  }
  return jobs.map(({ places, statementsUs }) => ({ places, costUs: JOB_US + statementsUs }));
}

function placesByMessage(batch: readonly Statement[]): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const [place, { message }] of batch.entries()) {
    const name = String.fromCharCode(...message);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [place]);
    else group.push(place);
  }
  return [...groups.values()];
}
