/**
 * Events of applications for the stream, read from the ledger as blocks are committed.
 *
 *   committed height --> each application's events of the next block --> application.events --> ... --> up to the newest height
 *
 * A reader of the stream continues at the ledger's pages after what it missed, so the feed may leave blocks out when it falls behind.
 */
import type { EventHub } from '@slipstream/api';
import type { EventPage, LedgerEvent, LedgerReader } from '@slipstream/ledger';
import type { Telemetry } from '@slipstream/ports';
import { to0x } from '@slipstream/primitives';
import { eventCursor } from '@slipstream/schema';

interface EventFeedComponents {
  readonly ledger: Pick<LedgerReader, 'events'>;
  readonly events: Pick<EventHub, 'publish'>;
  readonly telemetry: Telemetry;
}

export interface EventFeed {
  /** A block of this height, or a higher one, is committed. */
  committed(height: number): void;
}

/** Of an application and block. */
const EVENTS_MAX = 64;
/** Of their bodies; one has 2,048 at most. Bounds the memory of the hub's newest events. */
const BODY_BYTES_MAX = 8 * 1024;
/** Above, the feed goes on at the newest one. */
const BLOCKS_BEHIND_MAX = 64;

/** `names`: of applications, in the order of genesis. */
export function createEventFeed(
  { ledger, events, telemetry }: EventFeedComponents,
  names: readonly string[],
): EventFeed {
  let done: number | undefined;
  let newest = 0;
  let isRunning = false;

  async function run(): Promise<void> {
    for (;;) {
      const height = Math.max((done ?? newest - 1) + 1, newest - BLOCKS_BEHIND_MAX);
      if (height > newest) return;
      for (const [application, name] of names.entries()) {
        const page = await ledger.events(
          { application },
          { from: { height, index: 0, position: 0 }, highest: height, limit: EVENTS_MAX },
        );
        if (page !== undefined && page.events.length > 0) events.publish('application.events', blockEvents(name, page));
      }
      done = height;
    }
  }

  async function runOnce(): Promise<void> {
    isRunning = true;
    try {
      await run();
    } catch (error) {
      // The stores are being exchanged, or it is damage, which the node's own reads report.
      telemetry.log('debug', 'api: the events of a block were not read for the stream', { error: String(error) });
      done = newest;
    } finally {
      isRunning = false;
    }
  }

  return {
    committed(height) {
      newest = Math.max(newest, height);
      if (names.length > 0 && !isRunning) void runOnce();
    },
  };
}

function blockEvents(application: string, page: EventPage) {
  const shown = withinBytes(page.events);
  const [first] = page.events as readonly [LedgerEvent];
  const isCut = shown.length < page.events.length;
  return {
    application,
    height: first.height,
    blockId: to0x(first.blockId),
    events: shown.map(({ event, body, transactionId, index, position, height }) => ({
      event,
      body: to0x(body),
      transactionId: to0x(transactionId),
      index,
      position,
      cursor: eventCursor({ height, index, position: position + 1 }),
    })),
    next: isCut ? behind(shown.at(-1) ?? first) : eventCursor(page.next),
    more: isCut || page.more,
  };
}

function behind({ height, index, position }: LedgerEvent): string {
  return eventCursor({ height, index, position: position + 1 });
}

function withinBytes(events: readonly LedgerEvent[]): readonly LedgerEvent[] {
  let bytes = 0;
  return events.filter(({ body }) => {
    bytes += body.length;
    return bytes <= BODY_BYTES_MAX;
  });
}
