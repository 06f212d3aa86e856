import type { PeerKey } from '@slipstream/ports';
import { decodeFrame } from '@slipstream/types';
import type { Dissemination } from '../../src/index.ts';

export function receive(node: Dissemination, from: PeerKey, frame: Uint8Array): void {
  const decoded = decodeFrame(frame);
  if (!decoded.ok) return;
  if (decoded.value.name === 'transactions') void node.onTransactions(from, frame);
  if (decoded.value.name === 'batchOffer') void node.onBatchOffer(from, frame);
  if (decoded.value.name === 'batchAnswer') node.onBatchAnswer(from, frame);
  if (decoded.value.name === 'chunk') void node.onChunk(from, frame);
  if (decoded.value.name === 'chunkAck') node.onChunkAck(from, frame);
  if (decoded.value.name === 'chunkCertified') void node.onChunkCertified(from, frame);
}
