/** Events of an application, by place. */
import { to0x } from '@slipstream/primitives';
import { type EventPageJson, eventCursor, PAGE_ITEMS_DEFAULT } from '@slipstream/schema';
import { height as asHeight } from '@slipstream/types';
import { type Answer, type ApiRequest, json, refuse } from '../answer.ts';
import type { KnownApplication, KnownApplications } from '../applications.ts';
import type { EventPlace, NodeBackend } from '../backend.ts';
import type { RunningApplications } from '../running-applications.ts';

interface EventComponents {
  readonly backend: NodeBackend;
  readonly running: RunningApplications;
}

export async function eventPage(
  { backend, running }: EventComponents,
  { query: { name, after, limit } }: ApiRequest,
  { number, manifest }: KnownApplication,
): Promise<Answer> {
  const event = manifest.events.find((each) => each.name === name);
  if (name !== undefined && event === undefined) return refuse('event-unknown');
  const page = await backend.applications.events({
    application: number,
    event: event?.number,
    from: after === undefined ? undefined : placeIn(String(after)),
    limit: Number(limit ?? PAGE_ITEMS_DEFAULT),
  });
  if (page === undefined) {
    const detail = `Blocks after ${String(after)} are pruned here: leave \`after\` out to begin at the oldest retained one.`;
    return refuse('pruned', { detail });
  }
  const heights = [...new Set(page.events.map(({ height }) => height))];
  const known = new Map(await Promise.all(heights.map(async (at) => [at, await running.at(asHeight(at))] as const)));
  return json({
    items: page.events.map((each) => ({
      ...(known.get(each.height) as KnownApplications).eventOf(each),
      height: each.height,
      blockId: to0x(each.blockId),
      transactionId: to0x(each.transactionId),
      index: each.index,
      position: each.position,
      cursor: eventCursor({ ...each, position: each.position + 1 }),
    })),
    next: eventCursor(page.next),
    more: page.more,
    height: page.height,
  } satisfies EventPageJson);
}

/** packages/schema checked the cursor on arrival. */
function placeIn(cursor: string): EventPlace {
  const [height = 0, index = 0, position = 0] = cursor.split('-').map(Number);
  return { height, index, position };
}
