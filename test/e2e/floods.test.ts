/** A stranger's flood may cost a validator frames, but not end it. */
import { randomBytes } from 'node:crypto';
import { type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import type { Lane } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { falseCertificates, floodWith, forgedTransactions } from '../chaos/hostile/attacks.ts';
import { startHostilePeer } from '../chaos/hostile/peer.ts';
import { FAST_BLOCKS } from './fast-blocks.ts';

/** Beyond a verifier lane (4,096 requests). */
const FRAMES = 12_000;
let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 1, flags: FAST_BLOCKS });
  await network.start();
});

afterAll(() => network?.remove());

const FLOODS: readonly { what: string; lane: Lane; frames: (genesisHash: GenesisHash) => Generator<Uint8Array> }[] = [
  { what: 'certificates of chunks that do not exist', lane: 'chunk', frames: () => falseCertificates([0]) },
  { what: 'transactions that their senders did not sign', lane: 'transaction', frames: forgedTransactions },
];

test.each(FLOODS)(
  'an unknown peer that sends thousands of $what at once does not stop a validator',
  async ({ lane, frames }) => {
    const node = network.node('validator-0');
    const genesisHash = await node.client.genesisHash();
    const sent = [...frames(genesisHash).take(FRAMES)];
    const attacker = await startHostilePeer({ seed: randomBytes(32), genesisHash, target: node });
    try {
      await floodWith(await attacker.lane(lane), sent.values(), new AbortController().signal);
      await untilHeight(network, (await node.client.status()).height + 3);
      const paid = await node.client.faucet(`0x01${'11'.repeat(32)}`, { wait: 'final', timeoutMs: 30_000 });
      expect(paid.status).toBe('final');
      expect(node.process.restarts).toBe(0);
      expect(await node.process.errors()).toEqual([]);
    } finally {
      await attacker.stop();
    }
  },
);
