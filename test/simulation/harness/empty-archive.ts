import type { Archive } from '@slipstream/sync';

/** Of a node that serves nothing of the past. */
export const EMPTY_ARCHIVE: Archive = {
  blockById: async () => undefined,
  finalizedRange: async () => ({ blocks: [], certificates: [] }),
  chunkById: async () => undefined,
};
