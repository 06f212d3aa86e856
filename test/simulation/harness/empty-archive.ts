import type { Archive } from '@slipstream/sync';

export const EMPTY_ARCHIVE: Archive = {
  blockById: async () => undefined,
  finalizedRange: async () => ({ blocks: [], certificates: [] }),
  chunkById: async () => undefined,
};
