/** Chunk certificates of a block: one batch (S24). */
import type { PeerKey, Statement } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { asId, type ChunkId, chunkAckMessage, GENESIS_EPOCH, hexOf } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createCertificates } from '../../src/chunks/certificates.ts';
import { createDropCounter } from '../../src/metrics/drop-counter.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { fakeAggregate, fakeVerifier, GENESIS_HASH, genesisOf } from '../harness/network.ts';

function node() {
  const batches: number[] = [];
  const real = fakeVerifier(() => {});
  const offences: PeerKey[] = [];
  const certificates = createCertificates(
    {
      verifier: {
        checkBatch(batch: readonly Statement[], priority) {
          batches.push(batch.length);
          return real.checkBatch(batch, priority);
        },
      },
      clock: { monotonicMs: () => 0, after: () => () => {} },
      reports: { offence: (peer) => void offences.push(peer), equivocation() {}, pendingChanged() {} },
      drops: createDropCounter(silentTelemetry),
      blockInterval: { intervalMs: 0 },
      references: { isReferenced: () => false },
      store: { get: () => undefined, isCommitted: () => false },
      uncertifiedReferences: { allowed: true, suspendedAtPeer() {} },
      waits: { hasAny: () => false },
      events: { chunkCertified() {} },
      committees: genesisCommittees(genesisOf(4), 0),
    },
    { genesisHash: GENESIS_HASH },
    { certificatesMax: 100, certificateChecksMax: 3, certificateDeferMs: 0 },
  );
  return { certificates, batches };
}

function certified(at: number, good = true, signers: readonly number[] = [0, 1, 2]) {
  const chunkId = asId<ChunkId>(new Uint8Array(32).fill(at));
  const aggregate = good ? fakeAggregate(chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId)) : new Uint8Array(96);
  return { chunkId, certificate: { epoch: GENESIS_EPOCH, signers, aggregate } };
}

it('the certificates of a block are verified together, and those that are known are not verified again', async () => {
  const { certificates, batches } = node();
  expect(await certificates.faultOf([1, 2, 3].map((at) => certified(at)))).toBeUndefined();
  expect(await certificates.faultOf([1, 2, 3, 4].map((at) => certified(at)))).toBeUndefined();
  expect(await certificates.faultOf([1, 4].map((at) => certified(at)))).toBeUndefined();
  expect(batches).toEqual([3, 1]);
});

it('a bad one makes the block invalid, and the good ones of the batch stay known', async () => {
  const { certificates, batches } = node();
  expect(await certificates.faultOf([certified(1), certified(2, false), certified(3)])).toContain('does not hold');
  expect([1, 2, 3].map((at) => certificates.of(hexOf(certified(at).chunkId)) !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  expect(await certificates.faultOf([certified(1), certified(3)])).toBeUndefined();
  expect(batches).toEqual([3]);
});

it('one without a quorum of signers makes the block invalid without any check', async () => {
  const { certificates, batches } = node();
  expect(await certificates.faultOf([certified(1), certified(2, true, [0, 1])])).toContain('quorum');
  expect(batches).toEqual([]);
});
