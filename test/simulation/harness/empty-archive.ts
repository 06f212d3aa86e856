import type { Archive } from '@slipstream/sync';

/** Archive of a node that serves no history. */
export const EMPTY_ARCHIVE: Archive = {
  blockById: async () => undefined,
  finalizedRange: async () => ({ blocks: [], certificates: [] }),
  chunkById: async () => undefined,
};
