/** Chunks that a leader forges in a validator's name. All nodes that check the block log them, the victim too. */
import {
  chunkHeaderCodec,
  chunkIdOf,
  decodeFrame,
  hexOf,
  type SignedChunk,
  signedChunkCodec,
  TRANSACTION_BYTES_MAX,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { chunk, frameOf } from '../harness/chunks.ts';
import { accountOf, block, createTestNetwork, peerKey, type TestNetwork, transaction } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { check, submit } from '../harness/steps.ts';

const LEADER = 3;
const VICTIM = 1;
const OTHERS = [0, 2, 3];

/** Its signature is invalid. */
function invent(transactions: readonly Uint8Array[], sequence: number): SignedChunk {
  const made = chunk(transactions, { sequence, producer: VICTIM, expiryMs: START_MS + 55_000 });
  return { ...made, signature: new Uint8Array(192) };
}

function worldWith(served: Map<string, SignedChunk>): TestNetwork {
  return createTestNetwork({
    fetchChunk: async (id) => {
      const found = served.get(hexOf(id));
      return found && { from: peerKey(LEADER), bytes: signedChunkCodec.encode(found) };
    },
  });
}

const chunksSentBy = (node: ReturnType<TestNetwork['node']>) =>
  node.sent.filter(({ frame }) => {
    const decoded = decodeFrame(frame);
    return decoded.ok && decoded.value.name === 'chunk';
  });

describe('a chunk forged in a validator’s name, in that validator’s log', () => {
  /** After the victim has checked a block that references the chunk. */
  async function logOfVictim(invented: SignedChunk) {
    const id = chunkIdOf(invented.header);
    const network = worldWith(new Map([[hexOf(id), invented]]));
    const payload = [{ chunkId: id, certificate: undefined }];
    const made = block({ parentId: network.genesisId, payload, proposer: LEADER });
    expect(await check(network, network.node(VICTIM), made, 1_000)).toBe('valid');
    return network.node(VICTIM).log;
  }

  async function restartedWith(log: Awaited<ReturnType<typeof logOfVictim>>) {
    const network = createTestNetwork();
    const victim = network.node(VICTIM);
    for (const [i, { kind, payload }] of log.entries()) {
      if (kind === 'own-chunk-header') victim.dissemination.restoreOwnHeader(payload, i + 1, 0);
      if (kind === 'chunk') victim.dissemination.restoreChunk(payload, i + 1, 0);
    }
    victim.dissemination.restored();
    await network.pass();
    return { network, victim };
  }

  const othersSay = (network: TestNetwork) =>
    OTHERS.flatMap((i) => [...network.node(i).offences, ...network.node(i).evidence]);

  it('uses none of its sequences after a restart', async () => {
    const log = await logOfVictim(invent([transaction()], Number.MAX_SAFE_INTEGER));
    expect(log.map(({ kind }) => kind)).toContain('chunk');
    const { network, victim } = await restartedWith(log);
    for (let i = 0; i < 2; i++) {
      await submit(network, victim, transaction({ from: accountOf(VICTIM) }));
      await network.pass(3_000);
    }
    const headers = victim.log.filter(({ kind }) => kind === 'own-chunk-header');
    const sequences = headers.map(({ payload }) => {
      const decoded = chunkHeaderCodec.decode(payload);
      return decoded.ok && decoded.value.sequence;
    });
    expect(sequences).toEqual([1, 2]);
    expect(othersSay(network)).toEqual([]);
  });

  it('is not sent as its own after a restart, so that it is not blamed for the content', async () => {
    const log = await logOfVictim(invent([transaction({ badSignature: true })], 7));
    const { network, victim } = await restartedWith(log);
    await network.pass(3_000);
    expect(victim.dissemination.stats().chunks.pending).toBe(1);
    expect(chunksSentBy(victim)).toEqual([]);
    expect(othersSay(network)).toEqual([]);
  });

  it('is distinguished from an own chunk, which it sends again', async () => {
    const own = chunk([transaction()], { producer: VICTIM, sequence: 5 });
    const { network, victim } = await restartedWith([
      { kind: 'own-chunk-header', payload: chunkHeaderCodec.encode(own.header) },
      { kind: 'chunk', payload: signedChunkCodec.encode(own) },
    ]);
    await network.pass(3_000);
    expect(chunksSentBy(victim).length).toBeGreaterThan(0);
  });
});

describe('chunks forged in a validator’s name, in views that fail', () => {
  /** Their blocks reference forged chunks and one chunk that no node has. */
  async function failViews(
    network: TestNetwork,
    served: Map<string, SignedChunk>,
    views: number,
    each: () => SignedChunk[],
  ) {
    for (let height = 1; height <= views; height++) {
      const invented = each();
      for (const made of invented) served.set(hexOf(chunkIdOf(made.header)), made);
      const ghost = chunk([transaction()], { sequence: height, producer: LEADER });
      const payload = [...invented, ghost].map(({ header }) => ({
        chunkId: chunkIdOf(header),
        certificate: undefined,
      }));
      const made = block({ parentId: network.genesisId, payload, proposer: LEADER, height });
      const view = new AbortController();
      for (const i of [0, 1, 2]) {
        network
          .node(i)
          .dissemination.checkPayload(made.id, made.block, view.signal)
          .catch(() => {});
      }
      await network.pass(400);
      view.abort();
    }
  }

  it('use none of its quota, at this node and at others', async () => {
    const served = new Map<string, SignedChunk>();
    const network = worldWith(served);
    let sequence = 1_000;
    const large = new Uint8Array(Math.min(TRANSACTION_BYTES_MAX, 60_000));
    await failViews(network, served, 9, () => Array.from({ length: 62 }, () => invent([large], sequence++)));
    const [receiver, victim] = [network.node(0), network.node(VICTIM)];
    expect(receiver.dissemination.stats().chunks.pendingBytes).toBeGreaterThan(32 * 1024 * 1024);
    void receiver.dissemination.onChunk(peerKey(VICTIM), frameOf(chunk([transaction()], { sequence: 1 })));
    await network.pass(10);
    expect(receiver.dissemination.stats().drops).not.toHaveProperty('chunk-quota');
    await submit(network, victim, transaction({ from: accountOf(VICTIM) }));
    await network.pass(2_000);
    expect(chunksSentBy(victim).length).toBeGreaterThan(0);
  }, 60_000);

  it('do not make it reject its clients, however long they wait', async () => {
    const served = new Map<string, SignedChunk>();
    const network = worldWith(served);
    let sequence = 1;
    await failViews(network, served, 1, () =>
      Array.from({ length: 127 }, () => invent([transaction({ from: accountOf(2) })], sequence++)),
    );
    const victim = network.node(VICTIM);
    expect(victim.dissemination.stats().chunks.pending).toBe(127);
    await network.pass(14_000);
    const answer = victim.dissemination.submit(
      transaction({ from: accountOf(VICTIM), expiryMs: network.nowMs() + 30_000 }),
    );
    await network.pass(10);
    expect(await answer).toMatchObject({ type: 'accepted' });
  });

  it('are proposed by no other leader: they are no orphans of a dead producer', async () => {
    const served = new Map<string, SignedChunk>();
    const network = worldWith(served);
    await failViews(network, served, 1, () => [invent([transaction()], 9)]);
    await network.pass(5_000);
    const payload = await network
      .node(0)
      .dissemination.buildPayload({ parentId: network.genesisId, timestampMs: network.nowMs() });
    expect(payload).toEqual([]);
  });
});
