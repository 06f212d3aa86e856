import type { MalformedItem } from '@slipstream/schema';

/** Beside the well-formed items of a node's list. */
export function malformedLine({ item, fault }: MalformedItem): string {
  return `item ${item}: malformed: ${fault}`;
}
