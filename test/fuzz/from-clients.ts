/** Decoders of what clients send as bytes. */

import {
  decodeBrokerMessage,
  decodeClientMessage,
  encodeBrokerMessage,
  encodeClientMessage,
} from '@slipstream/distilled/stream';
import { bytesEqual, type DecodeError, type Result } from '@slipstream/primitives';
import { decodeBatch, encodeBatch } from '@slipstream/schema';
import { BROKER_SAMPLES, CLIENT_SAMPLES } from '../../packages/distilled/test/stream-samples.ts';
import type { Decoder } from './decoder.ts';
import { transactionBytes } from './samples.ts';

const TRANSACTIONS_MAX = 64;

const batches: Decoder = {
  name: 'batch',
  samples: [encodeBatch(transactionBytes), encodeBatch([])],
  judge(bytes) {
    const decoded = decodeBatch(bytes, TRANSACTIONS_MAX);
    if (!decoded.ok) return { taken: false, refusal: decoded.error };
    const fits = decoded.value.length <= TRANSACTIONS_MAX && bytesEqual(encodeBatch(decoded.value), bytes);
    return fits ? { taken: true } : { taken: true, fault: 'its transactions are not what the batch holds' };
  },
};

interface StreamSide<T> {
  readonly samples: readonly T[];
  encode(message: T): Uint8Array;
  decode(bytes: Uint8Array): Result<T, DecodeError>;
}

function streamDecoder<T>(name: string, { samples, encode, decode }: StreamSide<T>): Decoder {
  return {
    name,
    samples: samples.map(encode),
    judge(bytes) {
      const decoded = decode(bytes);
      if (!decoded.ok) return { taken: false, refusal: decoded.error.message };
      if (bytesEqual(encode(decoded.value), bytes)) return { taken: true };
      return { taken: true, fault: 'took bytes that are not the encoding of the message' };
    },
  };
}

export const DECODERS_OF_CLIENTS: readonly Decoder[] = [
  batches,
  streamDecoder('message to a broker', {
    samples: CLIENT_SAMPLES,
    encode: encodeClientMessage,
    decode: decodeClientMessage,
  }),
  streamDecoder('message of a broker', {
    samples: BROKER_SAMPLES,
    encode: encodeBrokerMessage,
    decode: decodeBrokerMessage,
  }),
];
