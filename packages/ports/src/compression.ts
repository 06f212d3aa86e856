import type { Result } from '@slipstream/primitives';

/** zstd. `decompress` never allocates above the limits; `no-room` when only `roomBytes` is exceeded. */
export interface Compression {
  compress(bytes: Uint8Array): Uint8Array;
  decompress(
    bytes: Uint8Array,
    limits: { readonly bytesMax: number; readonly ratioMax: number; readonly roomBytes: number },
  ): Result<Uint8Array, { readonly code: string; readonly message: string }>;
}
