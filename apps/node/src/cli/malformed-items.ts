import type { MalformedItem } from '@slipstream/schema';

/** The line that stands for a malformed item, beside the well-formed items of a node's list. */
export function malformedLine({ item, fault }: MalformedItem): string {
  return `item ${item}: malformed: ${fault}`;
}
