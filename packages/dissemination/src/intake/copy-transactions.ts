/** Copies of small byte strings, several in one piece of memory. */

/** A view of the caller's memory would keep a whole request alive; one copy for each costs twice as much. */
const COPY_BYTES = 4_096;

/** One of each, in order. */
export function copyTransactions(transactions: readonly Uint8Array[]): readonly Uint8Array[] {
  const copies: Uint8Array[] = [];
  for (let from = 0; from < transactions.length; ) {
    let to = from + 1;
    let bytes = (transactions[from] as Uint8Array).length;
    for (let next = transactions[to]; next && bytes + next.length <= COPY_BYTES; next = transactions[to]) {
      bytes += next.length;
      to++;
    }
    const memory = new Uint8Array(bytes);
    let at = 0;
    for (const each of transactions.slice(from, to)) {
      memory.set(each, at);
      copies.push(memory.subarray(at, at + each.length));
      at += each.length;
    }
    from = to;
  }
  return copies;
}
