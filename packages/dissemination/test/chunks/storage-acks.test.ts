import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex, uint32le } from '@slipstream/primitives';
import { asId, type ChunkId, chunkAckMessage, decodeFrame, GENESIS_EPOCH } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createStorageAcks } from '../../src/chunks/storage-acks.ts';
import type { StoredChunk } from '../../src/chunks/stored-chunk.ts';
import { createFakeLog } from '../harness/fake-log.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { GENESIS_HASH, genesisOf, peerKey, settle } from '../harness/network.ts';

function chunkOf(number: number): StoredChunk {
  const id = asId<ChunkId>(sha256(uint32le(number)));
  return { id, hex: toHex(id), header: { epoch: GENESIS_EPOCH } } as StoredChunk;
}

/** The test completes each job; a signature is the padded message. */
function arrange() {
  const jobs: { readonly messages: readonly Uint8Array[]; readonly end: (failure?: Error) => void }[] = [];
  const sent: { readonly to: PeerKey; readonly chunk: string }[] = [];
  const acks = createStorageAcks(
    {
      signerOf: () => ({
        publicKey: new Uint8Array(48),
        sign: (messages) =>
          new Promise((resolve, reject) => {
            const signatures = messages.map((message) => Uint8Array.from({ length: 192 }, (_, i) => message[i] ?? 0));
            jobs.push({ messages, end: (failure) => (failure ? reject(failure) : resolve(signatures)) });
          }),
      }),
      committees: genesisCommittees(genesisOf(4), 0),
      wal: createFakeLog(),
      transport: {
        send(to, _lane, frame) {
          const decoded = decodeFrame(frame);
          if (!decoded.ok || decoded.value.name !== 'chunkAck') throw new Error('an ack is sent');
          const { chunkId, signature } = decoded.value.value;
          expect(signature.subarray(0, 32)).toEqual(chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId));
          sent.push({ to, chunk: toHex(chunkId) });
          return true;
        },
      },
    },
    { genesisHash: GENESIS_HASH },
  );
  return { acks, jobs, sent };
}

describe('storage acks', () => {
  it('are signed a few at a time, so that votes wait for few of them and their lane is never full', async () => {
    const { acks, jobs, sent } = arrange();
    for (let number = 0; number < 1_000; number++) void acks.acknowledge(chunkOf(number), peerKey(1));
    for (let done = 0; done < jobs.length; done++) {
      await settle();
      expect(jobs.length).toBe(done + 1);
      expect(jobs[done]?.messages.length).toBeLessThanOrEqual(16);
      jobs[done]?.end();
      await settle();
    }
    expect(new Set(sent.map(({ chunk }) => chunk)).size).toBe(1_000);
  });

  it('of one producer do not wait for those of a busy one', async () => {
    const { acks, jobs, sent } = arrange();
    for (let number = 0; number < 1_000; number++) void acks.acknowledge(chunkOf(number), peerKey(1));
    void acks.acknowledge(chunkOf(2_000), peerKey(2));
    for (let job = 0; job < 2; job++) {
      jobs[job]?.end();
      await settle();
    }
    expect(sent.filter(({ to }) => to === peerKey(2))).toEqual([{ to: peerKey(2), chunk: chunkOf(2_000).hex }]);
  });

  it('fail alone when they cannot be signed, and those after them are signed', async () => {
    const { acks, jobs, sent } = arrange();
    const failing = acks.acknowledge(chunkOf(1), peerKey(1));
    void acks.acknowledge(chunkOf(2), peerKey(1));
    jobs[0]?.end(new Error('no room'));
    await expect(failing).rejects.toThrow('no room');
    await settle();
    jobs[1]?.end();
    await settle();
    expect(sent.map(({ chunk }) => chunk)).toEqual([chunkOf(2).hex]);
  });
});
