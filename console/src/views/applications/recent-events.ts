/**
 * The newest events of an application, since some blocks before a page was opened.
 *
 *   newest height --> page of the ledger's events from there --> the page after it --> ... --> newest first
 */
import type { Client } from '@slipstream/client';
import type { EventPageJson } from '@slipstream/schema';

/** Blocks before the newest one, where reading begins. */
const BLOCKS_BEFORE = 64;
const PAGE_MAX = 50;
/** Of a round. Beyond, the next one goes on at the newest block. */
const PAGES_MAX = 4;
export const EVENTS_MAX = 20;

export interface SeenEvent {
  readonly key: string;
  readonly id: string;
  readonly height: number;
  readonly event: { readonly event: number; readonly name?: string; readonly fields?: unknown; readonly body: string };
}

interface EventReads {
  /** Those since the call before, the newest first, at most EVENTS_MAX. After an error the next call asks for the same. */
  read(signal: AbortSignal): Promise<readonly SeenEvent[]>;
}

type Item = EventPageJson['items'][number];

/** A cursor of the API: before the first event of a block. */
const before = (height: number): string => `${height}-0-0`;

export function createEventReads(client: Pick<Client, 'call'>, application: string): EventReads {
  let after: string | undefined;

  const pageOf = (query: { readonly after?: string; readonly limit: number }, signal: AbortSignal) =>
    client.call('applicationEvents', { params: { application }, query, signal });

  async function pagesFrom(from: string, signal: AbortSignal) {
    const items: Item[] = [];
    let page: EventPageJson | undefined;
    for (let count = 0; count < PAGES_MAX && (page === undefined || page.more); count++) {
      page = await pageOf({ after: page?.next ?? from, limit: PAGE_MAX }, signal);
      items.push(...page.items);
    }
    const last = page as EventPageJson;
    return { items, next: last.more ? before(last.height) : last.next };
  }

  return {
    async read(signal) {
      if (after === undefined) {
        const { height } = await pageOf({ limit: 1 }, signal);
        after = before(Math.max(1, height - BLOCKS_BEFORE));
      }
      const from = after;
      // Where blocks from there on are pruned, the next call begins again at the newest ones.
      after = undefined;
      const { items, next } = await pagesFrom(from, signal).catch((error: unknown) => {
        if ((error as { readonly code?: unknown }).code !== 'pruned') after = from;
        throw error;
      });
      after = next;
      return items.slice(-EVENTS_MAX).map(seen).toReversed();
    },
  };
}

export const seen = (item: Item): SeenEvent => ({
  key: item.cursor,
  id: item.transactionId,
  height: item.height,
  event: item,
});
