/** Workers that play in the test's own thread: each result is there, missing, or made in any order, as a seed says. */
import type { Applications, CallWorkers, HandedResult } from '../src/index.ts';
import {
  callItems,
  callOfItems,
  createHandedCalls,
  type HandedCall,
  listBytes,
  readList,
  resultItems,
  resultOfItems,
  writeList,
} from '../src/index.ts';

export interface PlayedWorkers extends CallWorkers {
  /** Results that the executor took. */
  taken(): number;
  handed(): number;
}

/** @param plays by position: whether a worker finishes the call. It may throw, as a defect of the worker does */
export function playedWorkers(
  installed: Applications['installed'],
  { plays = () => true, isReverse = false }: { plays?: (position: number) => boolean; isReverse?: boolean } = {},
): PlayedWorkers {
  const run = createHandedCalls(installed);
  let [taken, handed] = [0, 0];
  let timeUs = 0;
  return {
    count: 1,
    taken: () => taken,
    handed: () => handed,
    nowUs: () => ++timeUs,
    hand(block, calls) {
      const results = new Map<number, HandedResult | undefined>();
      const positions = calls.map((_, i) => i);
      handed += calls.length;
      for (const position of isReverse ? positions.reverse() : positions) {
        try {
          if (plays(position)) results.set(position, throughBytes(run(block, copied(calls[position] as HandedCall))));
        } catch {
          results.delete(position);
        }
      }
      return {
        take(position) {
          const result = results.get(position);
          if (result !== undefined) taken += 1;
          return result;
        },
        drop: (position) => void results.delete(position),
        end: () => results.clear(),
      };
    },
  };
}

/** As it comes out of shared memory. */
export function copied(call: HandedCall): HandedCall {
  const items = callItems(call);
  const bytes = new Uint8Array(listBytes(items));
  writeList(items, bytes);
  return callOfItems(readList(bytes));
}

export function throughBytes(result: HandedResult | undefined): HandedResult | undefined {
  if (result === undefined) return undefined;
  const items = resultItems(result);
  const bytes = new Uint8Array(listBytes(items));
  writeList(items, bytes);
  return resultOfItems(readList(bytes));
}
