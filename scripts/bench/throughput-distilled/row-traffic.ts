/**
 * Rows of one session of the bench, as numbers of a run, on their way to the broker.
 *
 *   add --> waiting --50 ms together--> sent --outcome--> ended
 *              ^--- refused or dropped, later; session lost --/
 */
import { MESSAGE_ROWS_MAX, type RowReason } from '@slipstream/distilled/stream';
import { refusalAction, retryDelayMs } from '../../../packages/client/src/distillery/refusals.ts';
import { rowsMessage } from './rows-message.ts';
import { accountOf, endOf, endRow, type RowEnd, type RunRows } from './run-rows.ts';

/** A refusal comes at once. */
const MESSAGES_KEPT = 1_024;

export function createRowTraffic() {
  let run: RunRows | undefined;
  let waiting: number[] = [];
  let later: { readonly atMs: number; readonly number: number }[] = [];
  /** Not ended: waiting and sent. */
  let pending = 0;
  let sent = new Set<number>();
  let messages = new Map<number, Uint32Array>();
  let nextMessage = 0;

  function settle(number: number, end: RowEnd): void {
    if (run === undefined || endOf(run, number) !== 'none') return;
    endRow(run, number, end);
    sent.delete(number);
    pending--;
  }

  return {
    get run() {
      return run;
    },
    get pending() {
      return pending;
    },
    begin(rows: RunRows): void {
      [run, waiting, later, pending] = [rows, [], [], 0];
      [sent, messages] = [new Set(), new Map()];
    },
    add(number: number): void {
      pending++;
      waiting.push(number);
    },
    settle,
    giveBack(number: number | undefined, reason: RowReason, retryAfterMs: number): void {
      if (number === undefined || !sent.has(number)) return;
      run?.reasons.set(number, reason);
      if (refusalAction(reason) === 'refused') return settle(number, 'row-refused');
      sent.delete(number);
      later.push({ atMs: Date.now() + retryDelayMs(retryAfterMs, reason), number });
    },
    /** Of a rows message; undefined for one long ago. */
    numbersOf: (message: number) => messages.get(message),
    /** The session that has them was lost. */
    lost(): void {
      waiting = [...waiting, ...sent];
      [sent, messages] = [new Set(), new Map()];
    },
    /** Messages of rows that may be sent now; `rowsMax` are in flight at most. */
    take(rowsMax: number): readonly Uint8Array[] {
      const nowMs = Date.now();
      for (const { atMs, number } of later) if (atMs <= nowMs) waiting.push(number);
      if (later.length > 0) later = later.filter(({ atMs }) => atMs > nowMs);
      if (run === undefined || waiting.length === 0) return [];
      const room = Math.max(0, rowsMax - sent.size);
      const numbers = inOrder(waiting.slice(0, room), run);
      waiting = waiting.slice(room);
      const taken: Uint8Array[] = [];
      for (let at = 0; at < numbers.length; at += MESSAGE_ROWS_MAX) {
        const part = numbers.subarray(at, at + MESSAGE_ROWS_MAX);
        for (const number of part) sent.add(number);
        messages.set(nextMessage, part);
        messages.delete(nextMessage - MESSAGES_KEPT);
        taken.push(rowsMessage(run, part, nextMessage++));
      }
      return taken;
    },
  };
}

/** By sender, then sequence: accounts ascend by index. */
function inOrder(numbers: readonly number[], run: RunRows): Uint32Array {
  const turns = Math.ceil(run.count / run.accounts.length) + 1;
  const keys = Float64Array.from(numbers, (number) => {
    return accountOf(run, number) * turns + Math.floor(number / run.accounts.length);
  }).sort();
  return Uint32Array.from(keys, (key) => Math.floor(key / turns) + (key % turns) * run.accounts.length);
}
