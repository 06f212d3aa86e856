/** Rows for a header that begins now: a row may have ended, lost its stream or come near its limits since it was taken. */
import type { RowReason } from '@slipstream/distilled/stream';
import type { ChainView } from './components.ts';
import type { RowEntry } from './row-entry.ts';

interface HeaderTerms extends Pick<ChainView, 'feeCap' | 'stragglerFee'> {
  readonly expiryMs: number;
}

interface BatchRows {
  readonly entries: readonly RowEntry[];
  readonly lost: readonly { readonly reason: RowReason; readonly entries: readonly RowEntry[] }[];
}

export function rowsForBatch(given: readonly RowEntry[], terms: HeaderTerms): BatchRows {
  const byReason = new Map<RowReason, RowEntry[]>();
  const entries: RowEntry[] = [];
  for (const entry of given) {
    if (entry.isDone) continue;
    const reason = faultOf(entry, terms);
    const list = reason === undefined ? entries : (byReason.get(reason) ?? []);
    list.push(entry);
    if (reason !== undefined) byReason.set(reason, list);
  }
  return { entries, lost: [...byReason].map(([reason, of]) => ({ reason, entries: of })) };
}

function faultOf(entry: RowEntry, { expiryMs, feeCap, stragglerFee }: HeaderTerms): RowReason | undefined {
  const { straggler } = entry;
  // No client would sign for it, and the others would sign twice (Q7).
  if (straggler === undefined && !isAnswered(entry)) return 'share-missing';
  if (entry.expiryMs < expiryMs) return 'batch-expired';
  if (entry.feeCap < feeCap) return 'fee-cap-too-low';
  if (straggler === undefined) return undefined;
  // A block would skip it as a straggler (Z9).
  if (straggler.expiryMs < expiryMs) return 'batch-expired';
  return straggler.feeCap < stragglerFee ? 'fee-cap-too-low' : undefined;
}

/** Its client may sign for it in time. A closed stream has no account. */
function isAnswered({ account, session }: RowEntry): boolean {
  return account.session === session && !session.isBehind;
}
