import { type BlockId, height, idFromHex } from '@slipstream/types';
import type { BlockReference } from '../backend.ts';

export function parseReference(text: string): BlockReference {
  if (text === 'latest') return { type: 'latest' };
  if (text.startsWith('0x')) return { type: 'id', id: idFromHex<BlockId>(text) };
  return { type: 'height', height: height(Number(text)) };
}
