import { PAGE_ITEMS_DEFAULT } from '@slipstream/schema';
import type { ApiRequest } from '../answer.ts';
import type { Page, PageRequest } from '../backend.ts';

export function pageOf({ query }: ApiRequest): PageRequest {
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined;
  return { cursor, limit: Number(query.limit ?? PAGE_ITEMS_DEFAULT) };
}

export function pageJson<T, J>(
  { items, next }: Page<T>,
  toJson: (item: T) => J,
): { items: readonly J[]; next: string | null } {
  return { items: items.map(toJson), next: next ?? null };
}
