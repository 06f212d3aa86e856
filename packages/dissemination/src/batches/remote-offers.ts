/**
 * Remote offers: a batch of a broker at another node, which this producer judges as its own (D27).
 *
 *   batchOffer --> offer (batch-offers.ts) --> batchAnswer
 */
import type { FrameSender, PeerKey } from '@slipstream/ports';
import { decodeFrame, outgoingFrame } from '@slipstream/types';
import type { Reports } from '../components.ts';
import type { OfferBatch, OfferResult } from './batch-offers.ts';

/** A `batchOffer` frame with its kind byte. Rejects when the verifier does. */
export type OnBatchOffer = (from: PeerKey, frame: Uint8Array) => Promise<void>;

interface RemoteOffersParts {
  readonly transport: Pick<FrameSender, 'send'>;
  readonly reports: Pick<Reports, 'offence'>;
  readonly offerBatch: OfferBatch;
}

export function createRemoteOffers({ transport, reports, offerBatch }: RemoteOffersParts): OnBatchOffer {
  return async (from, frame) => {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'batchOffer') {
      return reports.offence(from, 'malformed-frame', decoded.ok ? 'no batch offer' : decoded.error.message);
    }
    const { offerId, batch } = decoded.value.value;
    const result = await offerBatch(batch, from);
    transport.send(from, 'transaction', outgoingFrame('batchAnswer', { offerId, ...answerOf(result) }));
  };
}

function answerOf(result: OfferResult) {
  if (result.type !== 'rejected') return { refusal: undefined, retryAfterMs: 0 };
  return { refusal: result.reason, retryAfterMs: result.retryAfterMs ?? 0 };
}
