/**
 * Events of an application, oldest first, from the blocks that may hold them (block-index.ts).
 *
 * A place names where reading goes on: behind an event, or before the first one of a block. So a reader that has all events asks again from
 * the place that it was given last, and an event that it has seen never comes again.
 */
import {
  type ApplicationEvent,
  type BlockId,
  eventsInOutput,
  type Height,
  height,
  RECEIPT_FIXED_BYTES,
  type TransactionId,
} from '@slipstream/types';
import { eventIndexKey, heightsFrom } from './block-index.ts';
import { bodyAt, readTip } from './chain-reads.ts';
import { eachBound } from './packed-list.ts';
import { transactionIdOfReceipt } from './records.ts';
import type { LookUp } from './transaction-reads.ts';

export interface EventPlace {
  readonly height: number;
  /** Of the receipt in its block. */
  readonly index: number;
  /** Among the events of the receipt's output, of all applications. */
  readonly position: number;
}

export interface LedgerEvent extends ApplicationEvent, EventPlace {
  readonly height: Height;
  readonly blockId: BlockId;
  readonly transactionId: TransactionId;
}

export interface EventPage {
  readonly events: readonly LedgerEvent[];
  /** Where the next page begins. */
  readonly next: EventPlace;
  /** False: no committed block has more. */
  readonly more: boolean;
  /** Newest committed one. */
  readonly height: Height;
}

export interface EventsOf {
  readonly application: number;
  /** In its manifest. Undefined: all. */
  readonly event?: number | undefined;
}

export interface EventPageOptions {
  /** Undefined: the oldest retained one. */
  readonly from?: EventPlace | undefined;
  readonly limit: number;
  /** Default: the newest one. */
  readonly highest?: number;
}

/** Bodies of one page. One for each event suffices, unless ids share their key in the index, which a rich attacker can compute. */
const BODIES_MAX = 256;

/** Undefined: blocks from `from` on are pruned. */
export async function eventPage(
  lookUp: LookUp,
  of: EventsOf,
  { from, limit, highest = Number.MAX_SAFE_INTEGER }: EventPageOptions,
): Promise<EventPage | undefined> {
  const { store, newest } = lookUp;
  const tip = await readTip(store);
  const start = from ?? { height: tip?.earliestHeight ?? 0, index: 0, position: 0 };
  const committed = tip?.height ?? height(0);
  if (tip === undefined || start.height > tip.height)
    return { events: [], next: start, more: false, height: committed };
  // Genesis has none.
  if (Math.max(1, start.height) < tip.earliestHeight) return undefined;
  const key = eventIndexKey(of.application, of.event);
  const last = Math.min(tip.height, highest);
  const events: LedgerEvent[] = [];
  let bodies = 0;
  for await (const at of heightsFrom(store, tip, key, start.height)) {
    if (at > last) break;
    if (!(await newest.mayContain(tip, at, key))) continue;
    if (bodies === BODIES_MAX) return { events, next: firstOf(at), more: true, height: committed };
    bodies += 1;
    const found = await eventsOfBlock(lookUp, of, at);
    if (found === undefined) return undefined;
    for (const event of found) {
      if (at === start.height && isBefore(event, start)) continue;
      if (events.length === limit)
        return { events, next: behind(events.at(-1) ?? event), more: true, height: committed };
      events.push(event);
    }
  }
  return { events, next: firstOf(last + 1), more: false, height: committed };
}

/** Undefined: pruned meanwhile. */
async function eventsOfBlock(
  { store }: LookUp,
  { application, event }: EventsOf,
  at: number,
): Promise<readonly LedgerEvent[] | undefined> {
  const found = await bodyAt(store, at);
  if (found === undefined) return undefined;
  const { blockId, body } = found;
  const events: LedgerEvent[] = [];
  let index = 0;
  eachBound(body.receipts, (start, end) => {
    const receipt = body.receipts.subarray(start, end);
    const all = eventsInOutput(receipt.subarray(RECEIPT_FIXED_BYTES)) ?? [];
    for (const [position, each] of all.entries()) {
      if (each.application !== application || (event !== undefined && each.event !== event)) continue;
      events.push({
        ...each,
        blockId,
        height: height(at),
        index,
        position,
        transactionId: transactionIdOfReceipt(receipt),
      });
    }
    index += 1;
  });
  return events;
}

function isBefore({ index, position }: EventPlace, other: EventPlace): boolean {
  return index < other.index || (index === other.index && position < other.position);
}

/** The place behind an event. */
function behind({ height: at, index, position }: EventPlace): EventPlace {
  return { height: at, index, position: position + 1 };
}

function firstOf(at: number): EventPlace {
  return { height: at, index: 0, position: 0 };
}
