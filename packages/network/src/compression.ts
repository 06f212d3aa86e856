/**
 * zstd for network data, safe against decompression bombs.
 *
 * Input must be exactly one frame, without a dictionary, that declares its content size (RFC 8878, 3.1.1). The size is checked before
 * allocation, absolutely and against the compressed size. The decoder's buffer has just that size, so a false header fails.
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import zstd from 'zstd-napi';
import binding from 'zstd-napi/binding.js';

type DecompressErrorCode = 'malformed' | 'size-missing' | 'oversize' | 'ratio' | 'no-room';

interface DecompressError {
  readonly code: DecompressErrorCode;
  readonly message: string;
}

export interface DecompressLimits {
  readonly bytesMax: number;
  readonly ratioMax: number;
  /** Content above it is rejected with `no-room`. Default: bytesMax. */
  readonly roomBytes?: number;
}

/** Transactions are mostly keys and signatures, which no level compresses. */
const LEVEL = 1;
const FRAME_MAGIC = 0xfd2fb528;
const HEADER_BYTES_MIN = 6;
const DICTIONARY_BITS = 0b11;

let compressor: InstanceType<typeof zstd.Compressor> | undefined;
let decoder: InstanceType<typeof binding.DCtx> | undefined;

export function compress(bytes: Uint8Array): Uint8Array {
  if (compressor === undefined) {
    compressor = new zstd.Compressor();
    compressor.setParameters({ compressionLevel: LEVEL, contentSizeFlag: true });
  }
  return compressor.compress(bytes);
}

/** The content shares no memory with `bytes`. Never throws, and never allocates above the limits. */
export function decompress(bytes: Uint8Array, limits: DecompressLimits): Result<Uint8Array, DecompressError> {
  try {
    const size = judgeHeader(bytes, limits);
    if (!size.ok) return size;
    const content = new Uint8Array(size.value);
    decoder ??= new binding.DCtx();
    const written = decoder.decompress(content, bytes);
    if (written === content.length) return ok(content);
    return refuse('malformed', `${written} bytes of content where ${content.length} were declared`);
  } catch (cause) {
    return refuse('malformed', cause instanceof Error ? cause.message : String(cause));
  }
}

function judgeHeader(
  bytes: Uint8Array,
  { bytesMax, ratioMax, roomBytes = bytesMax }: DecompressLimits,
): Result<number, DecompressError> {
  if (bytes.length < HEADER_BYTES_MIN) return refuse('malformed', `${bytes.length} bytes are no zstd frame`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(0, true) !== FRAME_MAGIC) return refuse('malformed', 'not a zstd frame');
  if ((view.getUint8(4) & DICTIONARY_BITS) !== 0) return refuse('malformed', 'the frame asks for a dictionary');
  const size = binding.getFrameContentSize(bytes);
  if (size === null) return refuse('size-missing', 'the frame does not declare the size of its content');
  if (size > bytesMax) return refuse('oversize', `${size} bytes of content, at most ${bytesMax} are allowed`);
  if (size > bytes.length * ratioMax) {
    return refuse(
      'ratio',
      `${bytes.length} bytes declare ${size} bytes of content, more than ${ratioMax} times as much`,
    );
  }
  if (binding.findFrameCompressedSize(bytes) !== bytes.length)
    return refuse('malformed', 'something follows the frame');
  if (size > roomBytes) return refuse('no-room', `${size} bytes of content, and room for ${roomBytes}`);
  return ok(size);
}

function refuse(code: DecompressErrorCode, message: string): Result<never, DecompressError> {
  return fail({ code, message });
}
