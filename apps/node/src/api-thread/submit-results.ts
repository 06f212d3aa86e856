/**
 * Results of submitted transactions: one row each, texts only for refused ones.
 *
 *   row:  kind u8 | id 32 | expiryMs f64          (little-endian)
 */
import type { SubmitResult } from '@slipstream/dissemination';
import { assert } from '@slipstream/primitives';
import { asId, ID_BYTES, type TransactionId } from '@slipstream/types';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import type { RefusalLine } from './wire.ts';

const KINDS = { accepted: 0, inPool: 1, inPoolOtherwise: 2, onChain: 3, rejected: 4 } as const;
const EXPIRY_AT = 1 + ID_BYTES;
const ROW_BYTES = EXPIRY_AT + 8;

type SubmitAnswer = ThreadMessage<{ readonly refusals: readonly RefusalLine[] }>;

export function encodeSubmitResults(results: readonly SubmitResult[]): SubmitAnswer {
  const rows = new Uint8Array(results.length * ROW_BYTES);
  const view = new DataView(rows.buffer);
  const refusals: RefusalLine[] = [];
  for (const [at, result] of results.entries()) {
    const row = at * ROW_BYTES;
    rows[row] = kindOf(result);
    if (result.id !== undefined) rows.set(result.id, row + 1);
    if (result.type === 'accepted') view.setFloat64(row + EXPIRY_AT, result.expiryMs, true);
    if (result.type === 'rejected') {
      refusals.push([at, result.reason, result.message, result.retryAfterMs ?? null]);
    }
  }
  return messageOf({ refusals }, [rows]);
}

function kindOf(result: SubmitResult): number {
  if (result.type !== 'known') return KINDS[result.type];
  if (result.where === 'chain') return KINDS.onChain;
  return result.sameBytes ? KINDS.inPool : KINDS.inPoolOtherwise;
}

type Rejected = Extract<SubmitResult, { readonly type: 'rejected' }>;

export function decodeSubmitResults({ head, bytes }: SubmitAnswer): readonly SubmitResult[] {
  const rows = bytes[0] ?? new Uint8Array(0);
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const refusals = new Map(head.refusals.map((line) => [line[0], line]));
  return Array.from({ length: rows.length / ROW_BYTES }, (_, at): SubmitResult => {
    const row = at * ROW_BYTES;
    const id = asId<TransactionId>(rows.slice(row + 1, row + EXPIRY_AT));
    switch (rows[row]) {
      case KINDS.accepted:
        return { type: 'accepted', id, expiryMs: view.getFloat64(row + EXPIRY_AT, true) };
      case KINDS.inPool:
        return { type: 'known', id, where: 'pool', sameBytes: true };
      case KINDS.inPoolOtherwise:
        return { type: 'known', id, where: 'pool', sameBytes: false };
      case KINDS.onChain:
        return { type: 'known', id, where: 'chain', sameBytes: true };
      default: {
        const refusal = refusals.get(at);
        assert(refusal !== undefined, 'a transaction that was refused comes with the reason');
        const [, reason, message, retryAfterMs] = refusal;
        return {
          type: 'rejected',
          reason: reason as Rejected['reason'],
          message,
          id,
          retryAfterMs: retryAfterMs ?? undefined,
        };
      }
    }
  });
}
