/**
 * Bytes that clients have not read: one budget of all streams.
 *
 *   send --> sum above the budget? --> read again --> above three quarters of it? --> the fullest streams are cut off
 *
 * A stream counts until its carrier is closed: one that was ended still holds its bytes. The sum is of each stream as last read, and streams
 * drain meanwhile, so it is an upper bound. All are read again only after a quarter of the budget was sent.
 */

interface Unread {
  unsentBytes(): number;
  /** Frees them. */
  cutOff(): void;
}

export interface UnsentBytes {
  /** After a message to this stream. */
  sent(of: Unread): void;
  /** Its carrier is closed. Idempotent. */
  closed(of: Unread): void;
}

export function createUnsentBytes({ unsentBytesOfAllMax }: { readonly unsentBytesOfAllMax: number }): UnsentBytes {
  const restMax = (unsentBytesOfAllMax * 3) / 4;
  const bytesOf = new Map<Unread, number>();
  let sum = 0;

  function set(of: Unread, bytes: number): void {
    sum += bytes - (bytesOf.get(of) ?? 0);
    bytesOf.set(of, bytes);
  }

  function closed(of: Unread): void {
    sum -= bytesOf.get(of) ?? 0;
    bytesOf.delete(of);
  }

  function enforce(): void {
    for (const of of bytesOf.keys()) set(of, of.unsentBytes());
    if (sum <= restMax) return;
    const fullestFirst = [...bytesOf].toSorted(([, a], [, b]) => b - a);
    for (const [of] of fullestFirst) {
      if (sum <= restMax) return;
      closed(of);
      of.cutOff();
    }
  }

  return {
    sent(of) {
      set(of, of.unsentBytes());
      if (sum > unsentBytesOfAllMax) enforce();
    },
    closed,
  };
}
