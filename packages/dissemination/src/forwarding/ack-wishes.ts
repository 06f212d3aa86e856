/**
 * Ack wishes: transactions whose attestation clients wait for, wherever they asked. The chunk that will hold one asks for storage acks.
 *
 *   client, or peer --> wishes --> a chunk made here asks (ack-demand.ts)
 *                             \--> the home validator, in the frame of the transaction or after it
 *
 * A wish that comes when a chunk already holds the transaction changes nothing: a block or the ack schedule attests it.
 */
import type { PeerKey } from '@slipstream/ports';
import { requireAccount } from '@slipstream/types';
import type { AttestationWaits } from '../chunks/attestation-waits.ts';
import type { Committees } from '../epochs/committees.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import type { Forwarder } from './forwarder.ts';

export interface AckWishes {
  /** Lower-case hex, no prefix. `from` undefined: a client of this node. False: the wish is known. */
  add(id: string, from: PeerKey | undefined): boolean;
}

interface AckWishesParts {
  readonly ackWishes: Pick<AttestationWaits, 'add' | 'has'>;
  readonly pool: Pick<Mempool, 'get'>;
  readonly ready: Pick<ReadyQueue, 'isInChunk'>;
  readonly forwarder: Pick<Forwarder, 'addWish'>;
  readonly committees: Pick<Committees, 'validatorOf'>;
}

export function createAckWishes({ ackWishes, pool, ready, forwarder, committees }: AckWishesParts): AckWishes {
  return {
    add(id, from) {
      if (ackWishes.has(id)) return false;
      ackWishes.add(id);
      // A wish makes as many hops as its transaction.
      const isFromValidator = from !== undefined && committees.validatorOf(from) !== undefined;
      const entry = pool.get(id);
      if (entry !== undefined && !isFromValidator && !ready.isInChunk(id)) {
        forwarder.addWish({ id, senderKey: requireAccount(entry.sender).bytes });
      }
      return true;
    },
  };
}
