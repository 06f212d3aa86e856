/**
 * The newest events of an application, from blocks that this page sees.
 *
 *   committed views with transactions --> their transactions with calls --> events, newest first
 */
import type { Client } from '@slipstream/client';
import type { TransactionView } from '@slipstream/schema';
import type { ViewRow } from '../../stream/snapshot.ts';

/** A round asks for so many blocks, and so many transactions of them: under load the newest. */
const BLOCKS_MAX = 4;
const TRANSACTIONS_MAX = 12;
export const EVENTS_MAX = 20;

type EventJson = NonNullable<TransactionView['events']>[number];

export interface SeenEvent {
  readonly key: string;
  readonly id: string;
  readonly height: number;
  readonly event: EventJson;
}

/** Heights of committed blocks with transactions above `after`, newest first. */
export function heightsToRead(views: readonly ViewRow[], after: number): readonly number[] {
  return views
    .filter(
      ({ height, transactions, times }) => height !== null && height > after && !!transactions && times.committedMs,
    )
    .map(({ height }) => height as number)
    .sort((a, b) => b - a)
    .slice(0, BLOCKS_MAX);
}

/** Events of these blocks, newest first. */
export async function readEvents(
  client: Pick<Client, 'blockTransactions' | 'transaction'>,
  {
    application,
    heights,
    signal,
  }: { readonly application: string; readonly heights: readonly number[]; readonly signal: AbortSignal },
): Promise<readonly SeenEvent[]> {
  const pages = await Promise.all(heights.map((height) => client.blockTransactions(height, { signal })));
  const calls = pages
    .flatMap(({ items }) => items.toReversed())
    .filter(({ kinds }) => kinds.includes('call'))
    .slice(0, TRANSACTIONS_MAX);
  const views = await Promise.all(calls.map(({ id }) => client.transaction(id, { signal })));
  return views.flatMap(({ id, events = [] }, at) =>
    events
      .map((event, i) => ({ key: `${id} ${i}`, id, height: calls[at]?.height ?? 0, event }))
      .filter(({ event }) => event.application === application)
      .toReversed(),
  );
}
