/** The record that execution seals for the next epoch is in the digest of each block from then on, and so certified. */
import { EPOCH_BLOCKS_MIN, readRecord } from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import { NO_RECORD, recordHashOf } from '@slipstream/types';
import { expect, it } from 'vitest';
import { rotationTo } from '../../execution/test/builders.ts';
import { GENESIS, GENESIS_HASH, genesis, type Proposed, settle, untilCommitted, World } from './world.ts';

const member = genesis.members[0] as (typeof genesis.members)[number];
const KEYS = { blsPublicKey: new Uint8Array(48).fill(77), peerKey: toHex(new Uint8Array(32).fill(77)) };

it('is named from the sealing block on, also by a node that starts again, and leads back to the state', async () => {
  const world = new World();
  const node = await world.open();
  const chain: Proposed[] = [world.blockOn(GENESIS, { transactions: [rotationTo(genesis, 77)] })];
  while (chain.length < EPOCH_BLOCKS_MIN + 1) chain.push(world.blockOn(chain.at(-1) as Proposed));
  for (const block of chain.slice(0, EPOCH_BLOCKS_MIN)) await settle(node, block);
  await untilCommitted(node, EPOCH_BLOCKS_MIN);
  const named = node.committed.map(({ preimage }) => preimage.next);
  expect(new Set(named.slice(0, -1).map(toHex))).toEqual(new Set([toHex(NO_RECORD)]));
  const record = readRecord({ get: ({ bytes }) => node.state.get(bytes) }, 1);
  expect(record.members[0]).toMatchObject({ ...KEYS, previousPeerKey: member.peerKey });
  expect(named.at(-1)).toEqual(recordHashOf(GENESIS_HASH, record));
  await node.pipeline.stop();
  const again = await world.open();
  await settle(again, chain[EPOCH_BLOCKS_MIN] as Proposed);
  await untilCommitted(again, EPOCH_BLOCKS_MIN + 1);
  expect(again.committed[0]?.preimage.next).toEqual(named.at(-1));
});
