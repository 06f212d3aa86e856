import { compress, decompress } from '@slipstream/network/compression';

export const zstd = { compress, decompress };
