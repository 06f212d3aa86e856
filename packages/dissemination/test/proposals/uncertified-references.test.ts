/** D16, D21, D22: when uncertified references are suspended, and who learns it. */
import { asId, type ChunkId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createUncertifiedReferences } from '../../src/proposals/uncertified-references.ts';
import { afterProbe, attestedAt, LATER_MS, lastAsks, makeChunk, PRODUCER } from '../harness/acks.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  peerKey,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { build, loseView, submit } from '../harness/steps.ts';

function clockAt() {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return clock;
}

/** A chunk of this node is certified fast, and the acks of its next one are lost. Once healed, that is certified about a second late. */
async function withoutAcks(network: TestNetwork, index: number): Promise<void> {
  const node = network.node(index);
  await submit(network, node, transaction({ from: accountOf(index) }));
  await network.pass(1_500);
  for (const other of [0, 1, 2, 3]) if (other !== index) network.lose(peerKey(other), peerKey(index));
  const bytes = transaction({ from: accountOf(index) });
  await submit(network, node, bytes);
  node.dissemination.awaitAttestation(idOf(bytes), true);
  await network.pass(900);
}

describe('uncertified references', () => {
  it('end with a failed view or a slow peer, and return after a while without', () => {
    const clock = clockAt();
    let suspensions = 0;
    const events = { certificatesNeeded: () => void suspensions++ };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    expect(uncertifiedReferences.allowed).toBe(true);
    const payload = [{ certificate: undefined }];
    uncertifiedReferences.trackBlock({ view: 5, parentView: 4, payload } as never);
    expect([uncertifiedReferences.allowed, suspensions]).toEqual([true, 0]);
    uncertifiedReferences.trackBlock({ view: 6, parentView: 4, payload } as never);
    expect([uncertifiedReferences.allowed, suspensions]).toEqual([false, 1]);
    clock.now = 4_999;
    expect(uncertifiedReferences.allowed).toBe(false);
    clock.now = 5_000;
    expect(uncertifiedReferences.allowed).toBe(true);
    uncertifiedReferences.suspend();
    expect([uncertifiedReferences.allowed, uncertifiedReferences.suspendedMs]).toEqual([false, 5_000]);
  });

  it('go on when a view fails without a block, or with certified references only', () => {
    const clock = clockAt();
    const events = { certificatesNeeded() {} };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    const certified = [{ certificate: {} }];
    uncertifiedReferences.proposed({ view: 6, payload: certified } as never);
    uncertifiedReferences.trackBlock({ view: 8, parentView: 4, payload: certified } as never);
    expect(uncertifiedReferences.allowed).toBe(true);
  });

  it('of another leader are suspended for as long as it says, and no longer than by the rule', () => {
    const clock = clockAt();
    let calls = 0;
    const events = { certificatesNeeded: () => void calls++ };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    const needed = () => uncertifiedReferences.certificatesNeeded;
    uncertifiedReferences.suspendedAtPeer(0);
    expect([needed(), calls]).toEqual([false, 0]);
    uncertifiedReferences.suspendedAtPeer(2_000);
    uncertifiedReferences.suspendedAtPeer(1_000);
    expect([needed(), calls]).toEqual([true, 2]);
    clock.now = 1_999;
    expect(needed()).toBe(true);
    clock.now = 2_000;
    expect(needed()).toBe(false);
    uncertifiedReferences.suspendedAtPeer(65_535);
    expect([uncertifiedReferences.allowed, uncertifiedReferences.suspendedMs]).toEqual([true, 0]);
    clock.now = 7_000;
    expect(needed()).toBe(false);
  });

  it('end too when the block of the failed view was not voted for here', async () => {
    const network = createTestNetwork();
    const payload = [{ chunkId: asId<ChunkId>(new Uint8Array(32).fill(77)), certificate: undefined }];
    const lost = block({ parentId: network.genesisId, payload, height: 2 });
    const next = block({ parentId: network.genesisId, payload: [], height: 3 });
    const asked = new AbortController();
    const node = network.node(1);
    const verdict = node.dissemination.checkPayload(lost.id, lost.block, asked.signal).catch((cause) => cause);
    await network.pass(5);
    asked.abort('left behind');
    expect(await verdict).toBe('left behind');
    node.dissemination.trackBlock(next.id, next.block);
    await submit(network, network.node(0), transaction());
    await network.pass(30);
    expect((await build(network, node)).map(({ certificate }) => certificate !== undefined)).toEqual([true]);
    for (const other of [0, 2, 3]) network.cut(peerKey(other), peerKey(1));
    await submit(network, node, transaction({ from: accountOf(1) }));
    await network.pass(400);
    expect(await build(network, node)).toHaveLength(1);
  });
});

describe('a chunk that asks for no acks', () => {
  it('is acknowledged at once when uncertified references are suspended, and later ones ask', async () => {
    const network = await afterProbe();
    const id = await makeChunk(network);
    loseView(network, ...[0, 1, 2, 3].map((index) => network.node(index)));
    await network.pass(5);
    expect(network.node(2).dissemination.status(id)).toMatchObject({ status: 'attested' });
    await network.pass(LATER_MS);
    await makeChunk(network);
    expect(lastAsks(network)).toBe(true);
  });

  it('is acknowledged at once when another leader says that its references are suspended, and later ones ask', async () => {
    const network = await afterProbe();
    await withoutAcks(network, 1);
    network.heal();
    const id = await makeChunk(network);
    expect(lastAsks(network)).toBe(false);
    await network.pass(150);
    expect(attestedAt(network.node(2), id)).toBe(true);
    const references = await build(network, network.node(1), network.genesisId, network.nowMs());
    expect(references.every(({ certificate }) => certificate !== undefined)).toBe(true);
    expect(references.flatMap(({ chunkId }) => network.node(1).dissemination.idsOf(chunkId))).toContain(id);
    await network.pass(LATER_MS);
    await makeChunk(network);
    expect(lastAsks(network)).toBe(true);
  });

  it('is referenced without a certificate by a leader that only knows of another’s suspension', async () => {
    const network = await afterProbe();
    await withoutAcks(network, 1);
    network.heal();
    await network.pass(150);
    for (const index of [1, 3]) network.cut(peerKey(PRODUCER), peerKey(index));
    const id = await makeChunk(network);
    expect(lastAsks(network)).toBe(true);
    const references = await build(network, network.node(2), network.genesisId, network.nowMs());
    const uncertified = references.filter(({ certificate }) => certificate === undefined);
    expect(uncertified.flatMap(({ chunkId }) => network.node(2).dissemination.idsOf(chunkId))).toContain(id);
  });

  it('is waited for as long as before once a lost view is 5 s ago, also if its block is committed late', async () => {
    const network = await afterProbe();
    const all = [0, 1, 2, 3].map((index) => network.node(index));
    const next = loseView(network, ...all);
    await network.pass(4_500);
    for (const { dissemination } of all) {
      dissemination.committed(next.id, next.block, { executedIds: [], skipped: [] });
    }
    await makeChunk(network);
    expect(lastAsks(network)).toBe(true);
    await network.pass(500);
    await makeChunk(network);
    expect(lastAsks(network)).toBe(false);
  });
});
