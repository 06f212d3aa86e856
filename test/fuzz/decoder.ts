/** A decoder under test with valid samples. */
import { bytesEqual, type Codec } from '@slipstream/primitives';

/** Outcome for some bytes: refused with a message, or accepted. A throw is a fault, and so is `fault`. */
export interface Verdict {
  readonly taken: boolean;
  /** Reason for people. */
  readonly refusal?: string;
  /** A defect of the decoder. */
  readonly fault?: string;
}

export interface Decoder {
  readonly name: string;
  readonly samples: readonly Uint8Array[];
  judge(bytes: Uint8Array): Verdict;
  /** Restores checksums and hashes in front of the decoded part, as an attacker would. */
  reseal?(bytes: Uint8Array): Uint8Array;
}

/** A canonical codec: it accepts only the one encoding of a value. */
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
