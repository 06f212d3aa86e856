import type { Result } from '@slipstream/primitives';

/**
 * zstd, or what stands for it in tests. `decompress` never allocates above the limits, whatever the bytes are; its code is `no-room`
 * for what would fit them, but for `roomBytes`.
 */
export interface Compression {
  compress(bytes: Uint8Array): Uint8Array;
  decompress(
    bytes: Uint8Array,
    limits: { readonly bytesMax: number; readonly ratioMax: number; readonly roomBytes: number },
  ): Result<Uint8Array, { readonly code: string; readonly message: string }>;
}
