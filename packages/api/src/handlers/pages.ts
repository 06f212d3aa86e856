import { PAGE_ITEMS_DEFAULT } from '@slipstream/schema';
import type { ApiRequest } from '../answer.ts';
import type { PageRequest } from '../backend.ts';

export function pageOf({ query }: ApiRequest): PageRequest {
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined;
  return { cursor, limit: Number(query.limit ?? PAGE_ITEMS_DEFAULT) };
}
