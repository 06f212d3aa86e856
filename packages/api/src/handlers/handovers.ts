/** Handovers of epochs, by page. */
import { to0x } from '@slipstream/primitives';
import {
  HANDOVERS_LIMIT_DEFAULT,
  HANDOVERS_LIMIT_MAX,
  type HandoverJson,
  type HandoverPage,
  handoverToJson,
} from '@slipstream/schema';
import type { Handover } from '@slipstream/types';
import { type Handler, json } from '../answer.ts';
import type { NodeBackend } from '../backend.ts';

type HandoverReads = Pick<NodeBackend, 'handovers'>;
type PageReads = HandoverReads & Pick<NodeBackend, 'root'>;

/** Of serialized handovers in a page: 20 of the largest committee, all of one of 100. */
const PAGE_CHARACTERS_MAX = 2 * 1024 * 1024;

export function createHandoverHandlers(backend: PageReads): { readonly handovers: Handler } {
  return {
    async handovers({ query }) {
      const from = Number(query.from ?? 0);
      const limit = Number(query.limit ?? HANDOVERS_LIMIT_DEFAULT);
      const found = await backend.handovers(from, limit + 1);
      const items = pageOf(found.slice(0, limit));
      const next = items.length < found.length ? from + items.length : null;
      return json({ items, next, ...rootOf(backend) } satisfies HandoverPage);
    },
  };
}

/** The first that fit a page, from this epoch to the one before `to`. */
export async function handoversBetween(
  backend: HandoverReads,
  from: number,
  to: number,
): Promise<readonly HandoverJson[]> {
  if (to <= from) return [];
  return pageOf(await backend.handovers(from, Math.min(to - from, HANDOVERS_LIMIT_MAX)));
}

function rootOf({ root }: PageReads): Pick<HandoverPage, 'root'> {
  if (root === undefined) return {};
  const { rootKey, expiryMs, signature } = root;
  return { root: { rootKey: to0x(rootKey), expiryMs, signature: to0x(signature) } };
}

/** At least one. */
function pageOf(handovers: readonly Handover[]): readonly HandoverJson[] {
  const items: HandoverJson[] = [];
  let characters = 0;
  for (const handover of handovers) {
    const item = handoverToJson(handover);
    characters += item.ssz.length;
    if (items.length > 0 && characters > PAGE_CHARACTERS_MAX) break;
    items.push(item);
  }
  return items;
}
