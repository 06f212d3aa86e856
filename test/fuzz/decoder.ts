/** A decoder under test, with valid samples. */
import { bytesEqual, type Codec } from '@slipstream/primitives';

/** Accepted, or refused with a message. A throw is a fault, like `fault`. */
export interface Verdict {
  readonly taken: boolean;
  /** For people. */
  readonly refusal?: string;
  /** A defect. */
  readonly fault?: string;
}

export interface Decoder {
  readonly name: string;
  readonly samples: readonly Uint8Array[];
  judge(bytes: Uint8Array): Verdict;
  /** Restores checksums and hashes, as an attacker would. */
  reseal?(bytes: Uint8Array): Uint8Array;
}

/** A canonical codec accepts only the one encoding of a value. */
export function codecDecoder<T>(codec: Codec<T>, values: readonly T[]): Decoder {
  return {
    name: codec.name,
    samples: values.map((value) => codec.encode(value)),
    judge(bytes) {
      const decoded = codec.decode(bytes);
      if (!decoded.ok) return { taken: false, refusal: decoded.error.message };
      return bytesEqual(codec.encode(decoded.value), bytes)
        ? { taken: true }
        : { taken: true, fault: 'took bytes that are not the encoding of what it made of them' };
    },
  };
}
