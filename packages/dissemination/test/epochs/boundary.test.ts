/** Producers over the end of an epoch (D8, D20). */
import { hexOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { accountOf, block, createTestNetwork, FULL_NODE, idOf, peerKey, transaction } from '../harness/network.ts';
import { build, certify, check, idsOf, submit } from '../harness/steps.ts';
import { headersBy, moveAll, NEXT_EPOCH, NODES, sealAll, twoEpochs } from '../harness/two-epochs.ts';

describe('a certified chunk of a closed epoch', () => {
  it('is referenced by the next committee, and its certificate is judged by its own', async () => {
    const network = twoEpochs();
    const bytes = transaction();
    await submit(network, network.node(0), bytes);
    await certify(network);
    await moveAll(network);
    const payload = await build(network, network.node(2));
    expect(payload.map(({ certificate }) => certificate?.epoch)).toEqual([0]);
    expect(await idsOf(network.node(4), payload)).toEqual([idOf(bytes)]);
    const made = block({ parentId: network.genesisId, payload, epoch: NEXT_EPOCH, proposer: 1 });
    for (const number of [1, 3, 4]) expect(await check(network, network.node(number), made, 1_000)).toBe('valid');
    for (const number of NODES) expect(network.node(number).offences).toEqual([]);
  });
});

describe('a node that leaves the committee', () => {
  it('packs nothing more, and hands its pool over to the new homes', async () => {
    const network = twoEpochs();
    const bytes = transaction();
    await submit(network, network.node(0), bytes);
    await moveAll(network);
    await network.pass(400);
    expect(headersBy(network.node(0))).toEqual([]);
    const packed = [1, 2, 3, 4].flatMap((number) => headersBy(network.node(number)));
    expect(packed.map(({ epoch, transactionCount }) => [epoch, transactionCount])).toEqual([[1, 1]]);
    expect(await idsOf(network.node(1), await build(network, network.node(1)))).toEqual([idOf(bytes)]);
    await expect(build(network, network.node(0))).rejects.toMatchObject({ code: 'not-a-validator' });
  });

  it('hands over what its uncertified chunks hold, also after a restart', async () => {
    const network = twoEpochs();
    for (const number of NODES) network.lose(peerKey(0), peerKey(number));
    network.lose(peerKey(0), FULL_NODE);
    const bytes = transaction();
    await submit(network, network.node(0), bytes);
    await certify(network);
    expect(headersBy(network.node(0))).toHaveLength(1);
    for (const number of NODES) network.node(number).seal();
    network.node(0).move();
    await network.pass(100);
    network.heal();
    await network.restart(0);
    for (const number of [1, 2, 3, 4]) network.node(number).move();
    await network.pass(3_000);
    expect(await idsOf(network.node(1), await build(network, network.node(1)))).toContain(idOf(bytes));
  });

  it('hands over what the log holds though a restart finds no peer connected', async () => {
    const network = twoEpochs();
    const bytes = transaction();
    for (const number of [1, 2, 3, 4]) network.cut(peerKey(0), peerKey(number));
    network.cut(peerKey(0), FULL_NODE);
    await submit(network, network.node(0), bytes);
    await certify(network);
    sealAll(network);
    await network.restart(0);
    network.node(0).move();
    await network.restart(0);
    for (const number of [1, 2, 3, 4]) network.node(number).move();
    await network.pass(300);
    network.heal();
    await network.pass(4_000);
    expect(await idsOf(network.node(1), await build(network, network.node(1)))).toContain(idOf(bytes));
  });

  it('passes on what validators that moved later send to it', async () => {
    const network = twoEpochs();
    sealAll(network);
    network.node(0).move();
    await submit(network, network.node(2), transaction({ from: accountOf(0) }));
    await network.pass(400);
    expect(headersBy(network.node(1))).toMatchObject([{ epoch: 0, transactionCount: 1 }]);
    expect(headersBy(network.node(0))).toEqual([]);
  });

  it('leaves its part of the pools to the members that are the homes now, also what never reached it', async () => {
    const network = twoEpochs();
    network.lose(peerKey(1), peerKey(0));
    await submit(network, network.node(1), transaction({ from: accountOf(0) }));
    await network.pass(100);
    await moveAll(network);
    await network.pass(400);
    expect(headersBy(network.node(1))).toMatchObject([{ epoch: 1, transactionCount: 1 }]);
  });

  it('acts as a full node from then on', async () => {
    const network = twoEpochs();
    await moveAll(network);
    await submit(network, network.node(0), transaction({ from: accountOf(2) }));
    await network.pass(400);
    expect(headersBy(network.node(0))).toEqual([]);
    expect(headersBy(network.node(3))).toMatchObject([{ epoch: 1, producer: 2, sequence: 1 }]);
    expect(network.node(0).dissemination.stats().producer).toBeUndefined();
  });
});

describe('a node that joins the committee', () => {
  it('packs what is in its pool, when the home does not', async () => {
    const network = twoEpochs();
    for (const number of [1, 2, 3]) network.lose(peerKey(4), peerKey(number));
    network.lose(peerKey(4), peerKey(0));
    const bytes = transaction({ from: accountOf(1) });
    await submit(network, network.node(4), bytes);
    await moveAll(network);
    await network.pass(5_500);
    network.heal();
    await network.pass(2_000);
    expect(headersBy(network.node(4))[0]).toMatchObject({ epoch: 1, producer: 3, sequence: 1 });
    expect(await idsOf(network.node(1), await build(network, network.node(1)))).toContain(idOf(bytes));
  });
});

describe('a producer that stays', () => {
  it('goes on with its sequences, also after a restart', async () => {
    const network = twoEpochs();
    await submit(network, network.node(1), transaction({ from: accountOf(1) }));
    await certify(network);
    await moveAll(network);
    await submit(network, network.node(1), transaction({ from: accountOf(0) }));
    await network.pass(1_000);
    const node = await network.restart(1);
    await submit(network, node, transaction({ from: accountOf(0) }));
    await network.pass(1_000);
    const numbers = headersBy(node).map(({ epoch, producer, sequence }) => [epoch, producer, sequence]);
    expect(numbers).toEqual([
      [0, 1, 1],
      [1, 0, 2],
      [1, 0, 3],
    ]);
    for (const number of NODES) expect(network.node(number).evidence).toEqual([]);
  });

  it('packs the transactions of an uncertified chunk again', async () => {
    const network = twoEpochs();
    for (const number of [0, 2, 3, 4]) network.lose(peerKey(1), peerKey(number));
    const bytes = transaction({ from: accountOf(1) });
    await submit(network, network.node(1), bytes);
    await certify(network);
    await moveAll(network);
    network.heal();
    await network.pass(1_500);
    expect(headersBy(network.node(1)).map(({ epoch, sequence }) => [epoch, sequence])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    const payload = await build(network, network.node(3));
    expect(await idsOf(network.node(3), payload)).toEqual([idOf(bytes)]);
    expect(payload.map(({ certificate }) => certificate?.epoch)).toEqual([1]);
  });

  it('is not held up by uncertified chunks of the epoch before', async () => {
    const network = twoEpochs();
    for (const number of [0, 2, 3, 4]) network.lose(peerKey(1), peerKey(number));
    for (let nth = 0; nth < 2; nth++) {
      await submit(network, network.node(1), transaction({ from: accountOf(1, nth) }));
      await network.pass(700);
    }
    const uncertified = () => network.node(1).dissemination.stats().producer?.uncertified;
    expect(uncertified()).toBe(2);
    await moveAll(network);
    network.heal();
    await submit(network, network.node(2), transaction({ from: accountOf(0) }));
    await network.pass(300);
    expect(uncertified()).toBe(2);
    expect(headersBy(network.node(1)).map(({ epoch, sequence }) => [epoch, sequence])).toEqual([
      [0, 1],
      [0, 2],
      [1, 3],
    ]);
  });

  it('packs them again though it restarted, and its pool is empty', async () => {
    const network = twoEpochs();
    for (const number of [0, 2, 3, 4]) network.lose(peerKey(1), peerKey(number));
    const bytes = transaction({ from: accountOf(1) });
    await submit(network, network.node(1), bytes);
    await certify(network);
    const node = await network.restart(1);
    expect(node.dissemination.stats().pool.transactions).toBe(0);
    await moveAll(network);
    network.heal();
    await network.pass(2_000);
    const payload = await build(network, network.node(3));
    expect(await idsOf(network.node(4), payload)).toEqual([idOf(bytes)]);
    expect(payload.map(({ certificate }) => certificate?.epoch)).toEqual([1]);
  });

  it('takes room of its quota for chunks of both epochs', async () => {
    const network = twoEpochs({ limits: { producerChunksMax: 4 } });
    for (let nth = 0; nth < 3; nth++) {
      await submit(network, network.node(1), transaction({ from: accountOf(1, nth) }));
      await network.pass(700);
    }
    await moveAll(network);
    for (let nth = 0; nth < 3; nth++) {
      await submit(network, network.node(1), transaction({ from: accountOf(0, nth) }));
      await network.pass(700);
    }
    expect(headersBy(network.node(1)).map(({ epoch }) => epoch)).toEqual([0, 0, 0, 1]);
  });
});

describe('an early chunk in the log', () => {
  it('is restored once the epoch is sealed, and counts once', async () => {
    const network = twoEpochs();
    sealAll(network);
    network.node(1).move();
    await submit(network, network.node(1), transaction({ from: accountOf(0) }));
    await network.pass(500);
    const node = await network.restart(3);
    expect(node.dissemination.stats().chunks.pending).toBe(0);
    node.seal();
    for (let times = 0; times < 2; times++) {
      for (const [at, { kind, payload }] of node.log.entries()) {
        if (kind === 'chunk') expect(node.dissemination.restoreChunk(payload, at + 1, 0)).toBe(true);
      }
    }
    expect(node.dissemination.stats().chunks.pending).toBe(1);
  });
});

describe('an early own chunk of an epoch', () => {
  it('is none: before the move a member of both makes chunks of the first alone', async () => {
    const network = createTestNetwork({
      committees: [
        [0, 1, 2, 3],
        [0, 1, 2, 3],
      ],
    });
    for (const number of [0, 1, 2, 3]) network.node(number).seal();
    await submit(network, network.node(0), transaction());
    await certify(network);
    const [header] = headersBy(network.node(0));
    expect(header?.epoch).toBe(0);
    expect(network.node(1).attested.map(({ chunkId }) => hexOf(chunkId))).toHaveLength(1);
  });
});
