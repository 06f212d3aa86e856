/**
 * Standing of other brokers: what became of the batches that this producer took from them (D28).
 *
 *   taken --block ran it--> half of its rows or more paid: proven      fewer: no longer proven, and it is charged
 *
 * A batch may be valid and pay nothing: rows that ran elsewhere, accounts without balance. No state is asked for that in advance.
 */
import type { PeerKey } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';

/** A batch that a committed block ran. */
export interface RanBatch {
  /** Lower-case hex, no prefix. */
  readonly id: string;
  readonly rows: number;
  /** Rows that paid a fee. */
  readonly charged: number;
}

interface BrokerStanding {
  took(batch: { readonly broker: PeerKey; readonly batchId: Uint8Array; readonly expiryMs: number }): void;
  isProven(broker: PeerKey): boolean;
  /** Returns the brokers of those that did not pay. */
  ran(batches: readonly RanBatch[]): readonly PeerKey[];
  /** No block from this timestamp on may run them. */
  expire(timestampMs: number): void;
}

/** Above what all brokers may offer in the life of a batch; the oldest is forgotten first. */
const TAKEN_MAX = 8_192;
/** Several times the full nodes of a validator. */
const PROVEN_MAX = 1_024;

export function createBrokerStanding(): BrokerStanding {
  const taken = new Map<string, { readonly broker: PeerKey; readonly expiryMs: number }>();
  const proven = new Set<PeerKey>();

  function prove(broker: PeerKey): void {
    proven.delete(broker);
    proven.add(broker);
    if (proven.size > PROVEN_MAX) proven.delete(proven.values().next().value as PeerKey);
  }

  return {
    took({ broker, batchId, expiryMs }) {
      taken.set(toHex(batchId), { broker, expiryMs });
      if (taken.size > TAKEN_MAX) taken.delete(taken.keys().next().value as string);
    },
    isProven: (broker) => proven.has(broker),
    ran(batches) {
      const unpaid: PeerKey[] = [];
      for (const { id, rows, charged } of batches) {
        const broker = taken.get(id)?.broker;
        if (broker === undefined) continue;
        taken.delete(id);
        if (2 * charged >= rows) prove(broker);
        else {
          proven.delete(broker);
          unpaid.push(broker);
        }
      }
      return unpaid;
    },
    expire(timestampMs) {
      for (const [id, { expiryMs }] of taken) if (expiryMs <= timestampMs) taken.delete(id);
    },
  };
}
