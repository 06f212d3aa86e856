/** A view would retain the caller's whole request; one buffer for each copy is twice as slow. */
const COPY_BYTES = 4_096;

/** In order; several copies share a buffer. */
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
