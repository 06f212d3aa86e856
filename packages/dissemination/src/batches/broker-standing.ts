/**
 * Standing of other brokers: what became of the batches that this producer took from them (D28).
 *
 *   taken --block ran it--> half of its rows or more paid: proven      fewer: no longer proven, and charged once for all that is under way
 *
 * A batch may be valid and pay nothing: rows that ran elsewhere, accounts without balance. No state is asked for that in advance. A broker
 * learns it from the same block as its producer, so what was taken before is one fault with it.
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

interface Taken {
  readonly broker: PeerKey;
  readonly expiryMs: number;
  /** Its broker was charged since. */
  isCovered: boolean;
}

interface BrokerStanding {
  took(batch: { readonly broker: PeerKey; readonly batchId: Uint8Array; readonly expiryMs: number }): void;
  isProven(broker: PeerKey): boolean;
  /** Returns the brokers to charge: for one that did not pay, and for all that were taken from its broker until now. */
  ran(batches: readonly RanBatch[]): readonly PeerKey[];
  /** No block from this timestamp on may run them. */
  expire(timestampMs: number): void;
}

/** Above what all brokers may offer in the life of a batch; the oldest is forgotten first. */
const TAKEN_MAX = 8_192;
/** Several times the full nodes of a validator. */
const PROVEN_MAX = 1_024;

export function createBrokerStanding(): BrokerStanding {
  const taken = new Map<string, Taken>();
  const proven = new Set<PeerKey>();

  function prove(broker: PeerKey): void {
    proven.delete(broker);
    proven.add(broker);
    if (proven.size > PROVEN_MAX) proven.delete(proven.values().next().value as PeerKey);
  }

  function coverTakenFrom(broker: PeerKey): void {
    for (const one of taken.values()) if (one.broker === broker) one.isCovered = true;
  }

  return {
    took({ broker, batchId, expiryMs }) {
      taken.set(toHex(batchId), { broker, expiryMs, isCovered: false });
      if (taken.size > TAKEN_MAX) taken.delete(taken.keys().next().value as string);
    },
    isProven: (broker) => proven.has(broker),
    ran(batches) {
      const atFault: PeerKey[] = [];
      for (const { id, rows, charged } of batches) {
        const one = taken.get(id);
        if (one === undefined) continue;
        const { broker, isCovered } = one;
        taken.delete(id);
        if (2 * charged >= rows) {
          prove(broker);
          continue;
        }
        proven.delete(broker);
        if (isCovered) continue;
        coverTakenFrom(broker);
        atFault.push(broker);
      }
      return atFault;
    },
    expire(timestampMs) {
      for (const [id, { expiryMs }] of taken) if (expiryMs <= timestampMs) taken.delete(id);
    },
  };
}
