/** Of the submission stream. */

import { bytesEqual } from '@slipstream/primitives';
import {
  decodeSubmission,
  decodeSubmissionMessage,
  encodeHello,
  encodeNotices,
  encodeResults,
  encodeSubmission,
} from '@slipstream/schema';
import type { Decoder } from './decoder.ts';
import { GENESIS, transactionBytes } from './samples.ts';

const TRANSACTIONS_MAX = 64;

const submissions: Decoder = {
  name: 'submission',
  samples: [encodeSubmission(transactionBytes), encodeSubmission([])],
  judge(bytes) {
    const decoded = decodeSubmission(bytes, TRANSACTIONS_MAX);
    if (!decoded.ok) return { taken: false, refusal: decoded.error };
    const fits = decoded.value.length <= TRANSACTIONS_MAX && bytesEqual(encodeSubmission(decoded.value), bytes);
    return fits ? { taken: true } : { taken: true, fault: 'its transactions are not what the message holds' };
  },
};

const messages: Decoder = {
  name: 'submission message',
  samples: [
    encodeHello({ windowTransactions: 512, frameBytesMax: 65_536, followedMax: 9, genesisHash: GENESIS }),
    encodeResults({ first: 3, retryAfterMs: 100, results: [{ code: 'accepted', id: GENESIS }] as never }),
    encodeNotices([{ number: 1, status: 'final', height: 7, index: 2 }]),
  ],
  judge(bytes) {
    const decoded = decodeSubmissionMessage(bytes);
    return decoded.ok ? { taken: true } : { taken: false, refusal: decoded.error };
  },
};

export const DECODERS_OF_CLIENTS: readonly Decoder[] = [submissions, messages];
