/** Decoders of what clients send as bytes. */

import { bytesEqual } from '@slipstream/primitives';
import { decodeBatch, encodeBatch } from '@slipstream/schema';
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

export const DECODERS_OF_CLIENTS: readonly Decoder[] = [batches];
