/**
 * The keys of the current committee: as a node that runs answers them, or from the ledger of one that is stopped.
 */
import { join } from 'node:path';
import type { Client } from '@slipstream/client';
import { HOME } from '@slipstream/node-home';
import type { BoundKeys } from '@slipstream/node-home/identity';
import { fromHex, type PeerKey } from '@slipstream/primitives';
import type { Genesis } from '@slipstream/types';
import { newestRecord } from '../../storage/newest-record.ts';

/** `client`: of the node that runs on this folder. Throws ClientError, DiskError and, while another process has the ledger open, NodeError. */
export async function keysInForce(home: string, genesis: Genesis, client: Client | undefined): Promise<BoundKeys> {
  if (client === undefined) return await newestRecord(join(home, HOME.data), genesis);
  const { epoch, members } = await client.committee();
  return {
    epoch,
    members: members.map(({ blsPublicKey, peer }) => ({
      blsPublicKey: fromHex(blsPublicKey),
      peerKey: peer.slice(2) as PeerKey,
    })),
  };
}
