/**
 * Events of an application: those of a receipt, and all, oldest first.
 *
 *   page --more--> page --end--> done, or with `follow`: wait for the stream to name the application --> page
 *
 * The stream only says when to ask again: pages alone are read, so nothing is lost when the connection is.
 */
import { type ApplicationManifest, FormError } from '@slipstream/app/program';
import { bytesEqual, fromHex, to0x } from '@slipstream/primitives';
import type { ListedEvent as ListedJson } from '@slipstream/schema';
import { eventsInOutput } from '@slipstream/types';
import { ClientError } from '../errors.ts';
import type { ApplicationEvent, EventsOptions, ListedEvent } from './application.ts';
import type { ApplicationParts } from './parts.ts';

type Bodies = { readonly [name: string]: unknown };

/** Of a receipt's output; those of other applications and forms are left out. */
export function eventsIn(parts: ApplicationParts, output: string): readonly ApplicationEvent<Bodies>[] {
  const events = eventsInOutput(bytesIn(output)) ?? [];
  return events
    .filter(({ application }) => application === parts.number)
    .flatMap(({ event, body }) => readEvent(parts, event, body) ?? []);
}

const PAGE_MAX = 100;

export async function* listEvents(
  parts: ApplicationParts,
  { name, after, limit = PAGE_MAX, follow = false, proven = false, signal }: EventsOptions = {},
): AsyncGenerator<ListedEvent<Bodies>, void, void> {
  const { client, manifest } = parts;
  const check = proven ? createReceiptCheck(parts, signal) : undefined;
  const news = follow ? openNews(parts, signal) : undefined;
  try {
    for (let next = after; ; ) {
      news?.read();
      const query = { name, after: next, limit };
      const page = await client.call('applicationEvents', {
        params: { application: manifest.name },
        query,
        ...(signal && { signal }),
      });
      for (const item of page.items) {
        await check?.(item);
        const read = readEvent(parts, item.event, bytesIn(item.body));
        if (read !== undefined) yield { ...read, ...placeOf(item) };
      }
      next = page.next;
      if (page.more) continue;
      if (news === undefined) return;
      await news.come();
    }
  } finally {
    news?.close();
  }
}

function placeOf({ height, blockId, transactionId, index, position, cursor }: ListedJson) {
  return { height, blockId, transactionId, index, position, cursor };
}

/** Undefined: not in the manifest, or no value of its form. */
function readEvent(
  { manifest, json }: ApplicationParts,
  event: number,
  body: Uint8Array,
): ApplicationEvent<Bodies> | undefined {
  const name = nameOfEvent(manifest, event);
  if (name === undefined) return undefined;
  try {
    return { name, fields: json.eventToJson(event, body) };
  } catch (error) {
    if (error instanceof FormError) return undefined;
    throw error;
  }
}

function nameOfEvent({ events }: ApplicationManifest, number: number): string | undefined {
  return events.find((event) => event.number === number)?.name;
}

/** Throws ClientError `unproven` for an event that its proven receipt does not have at this place. */
function createReceiptCheck({ client, number }: ApplicationParts, signal: AbortSignal | undefined) {
  let last: { readonly id: string; readonly receipt: ReturnType<typeof client.proven.receipt> } | undefined;
  return async (item: ListedJson): Promise<void> => {
    const id = item.transactionId;
    // A receipt's events follow one another.
    if (last?.id !== id) last = { id, receipt: client.proven.receipt(id, signal && { signal }) };
    const { receipt } = await last.receipt;
    const shown = eventsInOutput(receipt.output)?.[item.position];
    const isShown =
      shown !== undefined &&
      shown.application === number &&
      shown.event === item.event &&
      bytesEqual(shown.body, bytesIn(item.body)) &&
      receipt.height === item.height &&
      receipt.index === item.index;
    if (isShown) return;
    const message = `event ${item.position} of transaction ${to0x(receipt.transactionId)} is not what its proven receipt says: ask another node`;
    throw new ClientError('unproven', message, { transactionId: id, position: item.position });
  };
}

/** Whether blocks may have events that were not read. Throws ClientError `bad-argument` without a WebSocket. */
function openNews({ client, manifest }: ApplicationParts, signal: AbortSignal | undefined) {
  let isNews = false;
  let wake: (() => void) | undefined;
  const tell = () => {
    isNews = true;
    wake?.();
  };
  const stream = client.events({
    topics: ['application'],
    // Of a connection that missed some.
    onState: tell,
    onEvent: ({ event: { type, data } }) => {
      if (type === 'application.events' && data.application === manifest.name) tell();
    },
  });
  signal?.addEventListener('abort', tell);
  return {
    /** What comes from now on is news. */
    read: () => {
      isNews = false;
    },
    async come(): Promise<void> {
      if (!isNews)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      wake = undefined;
      if (signal?.aborted) throw new ClientError('aborted', 'the reading of events was aborted');
    },
    close(): void {
      signal?.removeEventListener('abort', tell);
      stream.close();
    },
  };
}

function bytesIn(text: string): Uint8Array {
  return fromHex(text.slice('0x'.length));
}
