/**
 * Ids of traces follow from ids of transactions, so that threads and nodes agree on them without a word on the wire.
 *
 *   transaction id: trace id (16 bytes) | id of the root span (8) | whether it is traced (4) | unused
 */
const TRACE_END = 32;
const ROOT_END = 48;
const CHOICE_END = 56;

export interface TraceIds {
  /** Lower-case hex, no prefix; so is each id here. */
  readonly traceId: string;
  readonly rootSpanId: string;
}

export function traceIdsOf(transactionId: string): TraceIds {
  return { traceId: transactionId.slice(0, TRACE_END), rootSpanId: transactionId.slice(TRACE_END, ROOT_END) };
}

/** Of one transaction in so many; 0: of none. Nodes with the same number trace the same transactions. */
export function createTraceChoice(oneIn: number): (transactionId: string) => boolean {
  if (oneIn === 0) return () => false;
  return (transactionId) => Number.parseInt(transactionId.slice(ROOT_END, CHOICE_END), 16) % oneIn === 0;
}
