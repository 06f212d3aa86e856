/** The driver passes the certificates of one step on as one batch (S24). */
import { type PeerKey, type Random, type Statement, silentTelemetry, type Verifier } from '@slipstream/ports';
import { asId, type BlockId, type StateDigest, view } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import { expect, it } from 'vitest';
import { createConsensus, EMPTY_LOG, LOCAL_OPTIONS } from '../src/index.ts';
import {
  certificateOf,
  committeeOf,
  GENESIS,
  GENESIS_HASH,
  GENESIS_ID,
  nullify,
  peerOf,
  recordOf,
} from './core-world.ts';

function fullNode() {
  const batches: number[] = [];
  const blocked: PeerKey[] = [];
  const verifier = {
    async checkBatch(batch: readonly Statement[]) {
      batches.push(batch.length);
      return batch.map((statement) => statement.kind === 'certificate' && statement.aggregate[0] === 1);
    },
  } as unknown as Verifier;
  const consensus = createConsensus(
    {
      transport: { send: () => true, broadcast() {}, block: (peer) => void blocked.push(peer), unblock() {} },
      clock: { monotonicMs: () => 0, wallMs: () => 0, after: () => () => {} },
      random: {} as Random,
      verifier,
      wal: { append: () => 0, lastSequence: 0, durableSequence: 0, failed: new Promise(() => {}) } as unknown as Wal,
      signing: undefined,
      application: {
        buildPayload: async () => [],
        checkPayload: async () => ({ type: 'valid' }),
        execute: async (blockId: BlockId) => asId<StateDigest>(blockId),
        finalized() {},
        certified() {},
        hasPending: () => false,
      },
      sync: { fetch() {}, relayCertificate() {}, relayProposal() {}, moved() {} },
      telemetry: silentTelemetry,
      onFatal(error) {
        throw error;
      },
    },
    {
      genesisHash: GENESIS_HASH,
      record: recordOf(committeeOf([1, 1, 1, 1])),
      selfIn: () => undefined,
      options: LOCAL_OPTIONS,
      root: { block: GENESIS, blockId: GENESIS_ID, certificate: undefined },
      refuseUpToView: 0,
      nullifyUpToView: 0,
      restored: EMPTY_LOG,
      firstRetainedView: 0,
    },
  );
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
