/** The driver passes the certificates of one step on as one batch (S24). */
import type { PeerKey, Statement, Verifier } from '@slipstream/ports';
import { view } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createConsensus } from '../src/index.ts';
import { certificateOf, nullify, peerOf } from './core-world.ts';
import { FOLLOWER, settingOf } from './driver-world.ts';

function fullNode() {
  const batches: number[] = [];
  const blocked: PeerKey[] = [];
  const verifier = {
    async checkBatch(batch: readonly Statement[]) {
      batches.push(batch.length);
      return batch.map((statement) => statement.kind === 'certificate' && statement.aggregate[0] === 1);
    },
  } as unknown as Verifier;
  const transport = { ...FOLLOWER.transport, block: (peer: PeerKey) => void blocked.push(peer) };
  const consensus = createConsensus({ ...FOLLOWER, transport, verifier }, settingOf());
  return { consensus, batches, blocked };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('a frame of certificates costs one batch, its good ones count, and its sender is blocked for the bad one', async () => {
  const { consensus, batches, blocked } = fullNode();
  await consensus.start();
  const adopted = () => consensus.certificatesInRange(view(1), view(9), 9).map(({ subject }) => subject.view);
  const certificates = [1, 2, 3, 4].map((at) => certificateOf(nullify(at), [0, 1, 2], at !== 3));
  consensus.onFrame(peerOf(1), { name: 'consensus', value: { votes: [], certificates, confirmations: [] } });
  await turn();
  expect(batches).toEqual([4]);
  expect(adopted()).toEqual([1, 2, 4]);
  expect(blocked).toEqual([peerOf(1)]);
  consensus.onFrame(peerOf(2), {
    name: 'consensus',
    value: { votes: [], certificates: [certificateOf(nullify(3), [0, 1, 2])], confirmations: [] },
  });
  await turn();
  expect(adopted()).toEqual([1, 2, 3, 4]);
  await consensus.stop();
});
