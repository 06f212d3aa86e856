/** A decoder under test: sound samples, and how to ask it. */
import { bytesEqual, type Codec } from '@slipstream/primitives';

/** What became of some bytes: refused with these words, or taken. A throw is a fault, as is what `fault` says. */
export interface Verdict {
  readonly taken: boolean;
  /** For people: why not. */
  readonly refusal?: string;
  /** What is wrong with the decoder. */
  readonly fault?: string;
}

export interface Decoder {
  readonly name: string;
  readonly samples: readonly Uint8Array[];
  judge(bytes: Uint8Array): Verdict;
  /** Makes checksums and hashes hold again that stand before what is decoded: an attacker would. */
  reseal?(bytes: Uint8Array): Uint8Array;
}

/** A canonical codec: what it takes is the one encoding of a value. */
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
