/** Rows that were taken, back to their clients. */
import { DROPPED_ROWS_MAX, type RowReason } from '@slipstream/distilled/stream';
import type { Session } from './components.ts';
import { RETRY_AFTER_MS } from './limits.ts';
import { receiverOf } from './receiver.ts';
import type { RowEntry } from './row-entry.ts';

export function giveBack(entries: readonly RowEntry[], reason: RowReason): void {
  const bySession = new Map<Session, RowEntry[]>();
  for (const entry of entries) {
    const receiver = receiverOf(entry.session, [entry]);
    const own = bySession.get(receiver);
    if (own === undefined) bySession.set(receiver, [entry]);
    else own.push(entry);
  }
  for (const [session, own] of bySession) {
    for (let at = 0; at < own.length; at += DROPPED_ROWS_MAX) {
      const part = own.slice(at, at + DROPPED_ROWS_MAX);
      const rows = part.map(({ row: { sender, sequence } }) => ({ sender, sequence, reason }));
      session.send({ name: 'dropped', value: { retryAfterMs: RETRY_AFTER_MS, rows } });
    }
  }
}
