import { silentTelemetry } from '@slipstream/ports';
import { asId, type ChunkId, chunkAckMessage, encodeFrame, GENESIS_EPOCH, hexOf } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createCertificates } from '../../src/chunks/certificates.ts';
import { createDropCounter } from '../../src/metrics/drop-counter.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { fakeAggregate, GENESIS_HASH, genesisOf, peerKey } from '../harness/network.ts';

const CLAIM_MS = 100;
const CHECKS_MAX = 3;

/** A validator with every chunk; member 1 produced all. */
function holder() {
  let nowMs = 0;
  let timers: { readonly atMs: number; readonly action: () => void }[] = [];
  const blockInterval = { intervalMs: 0 };
  const certified: number[] = [];
  let asked = 0;
  const drops = createDropCounter(silentTelemetry);
  const certificates = createCertificates(
    {
      verifier: {
        checkBatch(batch) {
          asked += batch.length;
          return Promise.resolve(batch.map(() => true));
        },
      },
      clock: {
        monotonicMs: () => nowMs,
        after(ms, action) {
          const timer = { atMs: nowMs + ms, action };
          timers.push(timer);
          return () => {
            timers = timers.filter((other) => other !== timer);
          };
        },
      },
      reports: { offence() {}, equivocation() {}, pendingChanged() {} },
      drops,
      blockInterval,
      references: { isReferenced: () => false },
      store: {
        get: () => ({ header: { epoch: GENESIS_EPOCH, producer: 1 }, ids: [] }),
        isCommitted: () => false,
      } as unknown as Parameters<typeof createCertificates>[0]['store'],
      uncertifiedReferences: { allowed: true, suspendedAtPeer() {} },
      waits: { hasAny: () => false },
      events: { chunkCertified: (chunkId) => void certified.push(chunkId[0] as number) },
      committees: genesisCommittees(genesisOf(4), 0),
    },
    { genesisHash: GENESIS_HASH },
    { certificatesMax: 100, certificateChecksMax: CHECKS_MAX, certificateDeferMs: CLAIM_MS },
  );
  return {
    certified,
    blockInterval,
    drops,
    asked: () => asked,
    claim(at: number) {
      const chunkId = asId<ChunkId>(new Uint8Array(32).fill(at));
      const certificate = {
        epoch: GENESIS_EPOCH,
        signers: [0, 1, 2],
        aggregate: fakeAggregate(chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId)),
      };
      void certificates.onFrame(peerKey(1), encodeFrame('chunkCertified', { chunkId, certificate, suspendedMs: 0 }));
      return hexOf(chunkId);
    },
    async pass(ms: number) {
      for (const untilMs = nowMs + ms; nowMs <= untilMs; nowMs += 10) {
        const due = timers.filter(({ atMs }) => atMs <= nowMs);
        timers = timers.filter(({ atMs }) => atMs > nowMs);
        for (const { action } of due) action();
        for (let i = 0; i < 20; i++) await Promise.resolve();
      }
    },
  };
}

it('a claim with a short wait is verified when due, though one with a long wait came before it', async () => {
  const { certified, blockInterval, claim, pass } = holder();
  blockInterval.intervalMs = 500;
  claim(1);
  blockInterval.intervalMs = 0;
  claim(2);
  await pass(CLAIM_MS);
  expect(certified).toEqual([2]);
  await pass(1_000);
  expect(certified).toEqual([2, 1]);
});

it('simultaneously due claims stay within the check quota of their sender', async () => {
  const { asked, drops, claim, pass } = holder();
  for (let at = 1; at <= CHECKS_MAX + 2; at++) claim(at);
  await pass(CLAIM_MS);
  expect(asked()).toBe(CHECKS_MAX);
  expect(drops.counts()).toEqual({ 'certificate-quota': 2 });
});
