import type { Result } from '@slipstream/primitives';

/**
 * zstd, or its replacement in tests. `decompress` never allocates above the limits. Its code is `no-room` when only `roomBytes` is
 * exceeded.
 */
export interface Compression {
  compress(bytes: Uint8Array): Uint8Array;
  decompress(
    bytes: Uint8Array,
    limits: { readonly bytesMax: number; readonly ratioMax: number; readonly roomBytes: number },
  ): Result<Uint8Array, { readonly code: string; readonly message: string }>;
}
