import { asId, type ChunkId, type ChunkReference, chunkAckMessage } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { build, check, idsOf, NOW_MS, submit } from './steps.ts';
import {
  block,
  createWorld,
  FOREVER,
  fakeAggregate,
  GENESIS_HASH,
  idOf,
  LIMITS,
  peerKey,
  START_MS,
  transaction,
} from './world.ts';

describe('building a payload', () => {
  it('packs the oldest transactions, and nothing when there is none', async () => {
    const world = createWorld();
    const node = world.node(0);
    expect(await build(world, node)).toEqual([]);
    const transactions = [transaction(), transaction({ from: 2 })];
    await submit(world, node, ...transactions);
    const payload = await build(world, node);
    expect(await idsOf(node, payload)).toEqual(transactions.map(idOf));
    expect(node.log.map(({ kind }) => kind)).toEqual(['own-chunk-header', 'chunk']);
  });

  it.each([
    ['has expired by the block’s time', NOW_MS, [NOW_MS + 1, START_MS + 60_000]],
    ['expires too far after it', START_MS - 10, [NOW_MS, NOW_MS + 1]],
  ])('leaves out what %s', async (_, timestampMs, left) => {
    const world = createWorld();
    const node = world.node(0);
    const byExpiry = [NOW_MS, NOW_MS + 1, START_MS + 60_000].map((expiryMs) => ({
      expiryMs,
      bytes: transaction({ expiryMs }),
    }));
    await submit(world, node, ...byExpiry.map(({ bytes }) => bytes));
    const packed = await idsOf(node, await build(world, node, world.genesisId, timestampMs));
    expect(packed).toEqual(byExpiry.filter(({ expiryMs }) => left.includes(expiryMs)).map(({ bytes }) => idOf(bytes)));
  });

  it('leaves out what the parent chain holds already, and packs it on another branch', async () => {
    const world = createWorld();
    const node = world.node(0);
    await submit(world, node, transaction());
    const first = block({ parentId: world.genesisId, payload: await build(world, node) });
    node.dissemination.noteBlock(first.id, first.block);
    expect(await build(world, node, first.id, NOW_MS + 1)).toEqual([]);
    const later = transaction();
    await submit(world, node, later);
    expect(await idsOf(node, await build(world, node, first.id, NOW_MS + 1))).toEqual([idOf(later)]);
    expect(await idsOf(node, await build(world, node, world.genesisId, NOW_MS + 1))).toHaveLength(2);
  });

  it('takes up its own chunk of an abandoned block instead of packing it anew', async () => {
    const world = createWorld();
    const node = world.node(0);
    await submit(world, node, transaction(), transaction());
    const once = await build(world, node);
    const again = await build(world, node, world.genesisId, NOW_MS + 5);
    expect(again).toEqual(once);
    expect(node.log).toHaveLength(2);
  });

  it('packs nothing twice when two payloads are asked for at once', async () => {
    const world = createWorld();
    const node = world.node(0);
    await submit(world, node, transaction());
    const [one, two] = await Promise.all([build(world, node), build(world, node)]);
    expect(one).toEqual(two);
  });

  it('stays within transactions and units of a block', async () => {
    const rules = { unitsOf: () => [1, LIMITS[1] as number, 0, 0, 0], feeOf: () => 0n };
    const heavy = createWorld({ overrides: { rules } });
    await submit(heavy, heavy.node(0), transaction(), transaction());
    expect(await idsOf(heavy.node(0), await build(heavy, heavy.node(0)))).toHaveLength(1);
    const few = createWorld({ limits: { chunkTransactionsMax: 2 } });
    await submit(few, few.node(0), transaction(), transaction(), transaction());
    expect(await idsOf(few.node(0), await build(few, few.node(0)))).toHaveLength(2);
  });

  it('keeps a chunk within 2 MB', async () => {
    const world = createWorld();
    const node = world.node(0);
    const large = () =>
      transaction({
        actions: Array.from({ length: 15 }, (_, i) => ({
          kind: 'setData',
          name: `${i}`,
          value: new Uint8Array(4_000),
        })),
      });
    await submit(world, node, ...Array.from({ length: 40 }, large));
    const payload = await build(world, node);
    const bytes = await node.dissemination.chunkById((payload[0] as ChunkReference).chunkId);
    expect(bytes?.length).toBeLessThanOrEqual(2 * 1024 * 1024 + 1024);
    expect(await idsOf(node, payload)).toHaveLength(34);
  });

  it('is not for full nodes', async () => {
    const world = createWorld();
    await expect(build(world, world.fullNode)).rejects.toMatchObject({ code: 'not-a-validator' });
  });

  it('asks the sign state for each sequence', async () => {
    const reserved: number[] = [];
    const reserveSequence = async (sequence: number) => void reserved.push(sequence);
    const world = createWorld({ overrides: { reserveSequence } });
    await submit(world, world.node(0), transaction());
    const first = block({ parentId: world.genesisId, payload: await build(world, world.node(0)) });
    world.node(0).dissemination.noteBlock(first.id, first.block);
    await submit(world, world.node(0), transaction());
    await build(world, world.node(0), first.id, NOW_MS + 1);
    expect(reserved).toEqual([1, 2]);
  });
});

describe('checking a payload', () => {
  async function proposed(options: Parameters<typeof createWorld>[0] = {}) {
    const world = createWorld(options);
    await submit(world, world.node(0), transaction());
    const payload = await build(world, world.node(0));
    return { world, payload, made: block({ parentId: world.genesisId, payload }) };
  }

  it('finds it valid on every node once the chunk has come', async () => {
    const { world, made } = await proposed();
    for (const index of [1, 2, 3]) expect(await check(world, world.node(index), made, 20)).toBe('valid');
    expect(await check(world, world.fullNode, made, 20)).toBe('valid');
    expect(world.node(1).log.map(({ kind }) => kind)).toEqual(['chunk']);
  });

  it('fetches a chunk that did not come, from the proposer, or from others when it is silent', async () => {
    const world = createWorld();
    await submit(world, world.node(0), transaction());
    await world.pass(50);
    world.cut(peerKey(0), peerKey(3));
    const made = block({ parentId: world.genesisId, payload: await build(world, world.node(0)) });
    expect(await check(world, world.node(3), made, 5_000)).toBe('valid');
    expect(world.node(3).dissemination.stats().wantedChunks).toBe(0);
  });

  it('waits for a chunk that nobody has, asking again, and never calls the block invalid', async () => {
    let asked = 0;
    const { world, made } = await proposed();
    const lonely = createWorld({
      fetchChunk: async () => {
        asked += 1;
        return undefined;
      },
    });
    expect(await check(lonely, lonely.node(1), made, 20_000)).toBe('waiting');
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(30);
    lonely.node(1).dissemination.stop();
    await lonely.pass();
    expect(world.node(0).dissemination.stats().chunks.pending).toBe(1);
  });

  it('ends its waiting when the block no longer matters', async () => {
    const { made } = await proposed();
    const lonely = createWorld({ fetchChunk: async () => undefined });
    const abort = new AbortController();
    const verdict = lonely.node(1).dissemination.checkPayload(made.id, made.block, abort.signal);
    await lonely.pass(100);
    abort.abort(new Error('dropped'));
    await expect(verdict).rejects.toThrow('dropped');
    expect(lonely.node(1).dissemination.stats().wantedChunks).toBe(0);
  });

  it('blames a peer that serves another chunk, and asks on', async () => {
    const { world, payload } = await proposed();
    const bytes = (await world.node(0).dissemination.chunkById((payload[0] as ChunkReference).chunkId)) as Uint8Array;
    const other = block({
      parentId: world.genesisId,
      payload: [{ chunkId: asId<ChunkId>(new Uint8Array(32).fill(3)), certificate: undefined }],
    });
    const liar = createWorld({ fetchChunk: async () => ({ from: peerKey(2), bytes }) });
    expect(await check(liar, liar.node(1), other, 40)).toBe('waiting');
    expect(liar.node(1).offences[0]).toMatchObject({ peer: peerKey(2), reason: 'bad-sync' });
  });

  it('refuses a payload root of another payload, and a chunk twice', async () => {
    const { world, payload, made } = await proposed();
    const wrongRoot = { id: made.id, block: { ...made.block, payloadRoot: new Uint8Array(32) } };
    expect(await check(world, world.node(1), wrongRoot)).toContain('payload root');
    const twice = block({ parentId: world.genesisId, payload: [...payload, ...payload] });
    expect(await check(world, world.node(1), twice)).toContain('twice');
  });

  it('refuses a chunk that an ancestor references (D2), committed or not, and allows it on another branch', async () => {
    const { world, payload, made } = await proposed();
    const node = world.node(1);
    expect(await check(world, node, made, 20)).toBe('valid');
    const child = block({ parentId: made.id, payload, timestampMs: NOW_MS + 1, height: 2 });
    expect(await check(world, node, child)).toContain('an ancestor references');
    const rival = block({ parentId: world.genesisId, payload, timestampMs: NOW_MS + 2 });
    expect(await check(world, node, rival)).toBe('valid');
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    expect(await check(world, node, child)).toContain('an ancestor references');
  });

  it('waits for an ancestor that it does not know, and judges when it is noted', async () => {
    const { world, payload, made } = await proposed();
    const node = world.node(1);
    const middle = block({ parentId: made.id, payload: [], timestampMs: NOW_MS + 1, height: 2 });
    const child = block({ parentId: middle.id, payload, timestampMs: NOW_MS + 2, height: 3 });
    expect(await check(world, node, child)).toBe('waiting');
    let late = '';
    node.dissemination.checkPayload(child.id, child.block, FOREVER).then((verdict) => {
      late = verdict.type;
    });
    node.dissemination.noteBlock(middle.id, middle.block);
    node.dissemination.noteBlock(made.id, made.block);
    await world.pass();
    expect(late).toBe('invalid');
  });

  it('refuses a chunk that has expired by the block’s time, or outlives its window', async () => {
    const { world, payload } = await proposed();
    const node = world.node(1);
    await world.pass(20);
    const late = block({ parentId: world.genesisId, payload, timestampMs: NOW_MS + 30_000 });
    expect(await check(world, node, late)).toContain('expired');
    const early = block({ parentId: world.genesisId, payload, timestampMs: NOW_MS - 30_001 });
    expect(await check(world, node, early)).toContain('expires only at');
  });

  it('refuses a block whose chunks take more units than a block may', async () => {
    const rules = { unitsOf: () => [1, (LIMITS[1] as number) / 2 + 1, 0, 0, 0], feeOf: () => 0n };
    const world = createWorld({ overrides: { rules } });
    const payloads = [];
    for (const index of [0, 1]) {
      void world.node(index).dissemination.submit(transaction({ from: index + 1, expiryMs: START_MS + 20_000 }));
      await world.pass(2);
      payloads.push(...(await build(world, world.node(index))));
    }
    const made = block({ parentId: world.genesisId, payload: payloads });
    expect(await check(world, world.node(2), made)).toContain('compute');
  });

  it('holds a chunk certificate to a quorum and to its signature', async () => {
    const { world, payload } = await proposed();
    const { chunkId } = payload[0] as ChunkReference;
    const certified = (signers: readonly number[], aggregate: Uint8Array) =>
      block({ parentId: world.genesisId, payload: [{ chunkId, certificate: { signers, aggregate } }] });
    const good = fakeAggregate(chunkAckMessage(GENESIS_HASH, chunkId));
    const node = world.node(1);
    expect(await check(world, node, certified([0, 1, 2], good))).toBe('valid');
    expect(await check(world, node, certified([0, 1], good))).toContain('quorum');
    expect(await check(world, node, certified([0, 1, 9], good))).toContain('quorum');
    expect(await check(world, node, certified([0, 1, 2], new Uint8Array(96)))).toContain('does not hold');
  });

  it('finds a block valid whose chunk packs a bad signature (D3), and execution is told', async () => {
    const world = createWorld();
    const twin = createWorld({ overrides: { verifier: { ...acceptAll } } });
    const bad = transaction({ badSignature: true });
    await submit(twin, twin.node(0), bad);
    const payload = await build(twin, twin.node(0));
    const bytes = (await twin.node(0).dissemination.chunkById((payload[0] as ChunkReference).chunkId)) as Uint8Array;
    const frame = new Uint8Array([6, ...bytes]);
    void world.node(1).dissemination.onChunk(peerKey(0), frame);
    await world.pass();
    const made = block({ parentId: world.genesisId, payload });
    expect(await check(world, world.node(1), made)).toBe('valid');
    const chunks = await world.node(1).dissemination.payloadOf(made.id, made.block, FOREVER);
    expect(chunks.map(({ producer, transactions }) => [producer, transactions[0]?.signatureValid])).toEqual([
      [0, false],
    ]);
  });
});

const acceptAll = {
  checkQuorum: () => Promise.reject(new Error('unused')),
  checkVote: async () => true,
  checkCertificate: async () => true,
  checkAccounts: async (batch: readonly unknown[]) => batch.map(() => true),
};
