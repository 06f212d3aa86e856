/** Which stream has the last message of rows: one whose connection broke has none, and its client is back on a newer one (Q9). */
import type { Session } from './components.ts';
import type { RowEntry } from './row-entry.ts';

/** `session`, or the newest one of all senders if it is closed. Senders of several newer ones have no message in common. */
export function receiverOf(session: Session, entries: readonly RowEntry[]): Session {
  if (session.isOpen) return session;
  const newest = entries[0]?.account.session;
  if (newest === undefined) return session;
  return entries.every(({ account }) => account.session === newest) ? newest : session;
}
