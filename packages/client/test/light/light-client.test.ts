/** One honest node suffices; each other one lies in a way of its own, and is named for it. */
import { to0x } from '@slipstream/primitives';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type LightClient,
  type LightClientOptions,
  type NodeFaultCode,
  openLightClient,
  type ProofReader,
} from '../../src/light/index.ts';
import {
  certificatesAt,
  type FakeNode,
  fakeNetwork,
  genesisHash,
  handovers,
  proofAt,
  transactionId,
} from './fake-nodes.ts';

function opened(options: LightClientOptions): LightClient {
  const client = openLightClient(options);
  onTestFinished(() => client.close());
  return client;
}

function world(names: readonly string[], options: Partial<LightClientOptions> = {}) {
  const network = fakeNetwork();
  const nodes = names.map((name) => network.node(name));
  const open = () => opened({ ...network.options, urls: nodes.map(({ url }) => url), ...options });
  return { nodes: nodes as [FakeNode, FakeNode], network, open };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whatever else the machine does. */
const headOf = (client: LightClient, height = 0) => client.headAt({ height, timeoutMs: 120_000 });
const faultOf = (client: LightClient, { url }: FakeNode) =>
  client.nodes().find((node) => node.url === url)?.lastFault?.code;
const stateOf = (client: LightClient, { url }: FakeNode) => client.nodes().find((node) => node.url === url)?.state;
const faulty = (client: LightClient, node: FakeNode, code: NodeFaultCode) =>
  until(() => faultOf(client, node) === code);

describe('a head', () => {
  test('is the newest height, proven; heights between are skipped', async () => {
    const { nodes, open } = world(['a']);
    nodes[0].height = 50;
    const client = open();
    const head = await headOf(client);
    const { blockId, state } = await certificatesAt(50);
    expect(head).toMatchObject({ height: 50, epoch: 0, blockId, stateDigest: state?.stateDigest, node: 'http://a' });
    expect(nodes[0].asked).toEqual(['certificates/50']);
    for (const height of [51, 52, 53]) await nodes[0].commit(height);
    expect((await headOf(client, 53)).height).toBe(53);
    expect(client.nodes()[0]).toMatchObject({ state: 'following', reportedHeight: 53, provenHeight: 53, faults: 0 });
  });

  test('of a later epoch is proven over the handovers', async () => {
    const { nodes, open } = world(['a']);
    nodes[0].height = 140;
    expect(await headOf(open())).toMatchObject({ height: 140, epoch: 2 });
    expect(nodes[0].asked).toEqual(['certificates/140', 'handovers']);
  });

  test('comes from a node that is reached again', async () => {
    const { nodes, open } = world(['a']);
    const client = open();
    await until(() => stateOf(client, nodes[0]) === 'following');
    nodes[0].cut();
    expect(stateOf(client, nodes[0])).toBe('lost');
    nodes[0].height = 7;
    expect((await headOf(client)).height).toBe(7);
  });

  test('that no node proves is waited for until the deadline, the abort, or the end', async () => {
    const { open } = world(['a']);
    const client = open();
    await expect(client.headAt({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'timeout' });
    await expect(client.headAt({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    const waiting = client.headAt();
    client.close();
    client.close();
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    await expect(client.receipt('0x')).rejects.toMatchObject({ code: 'closed' });
    expect(client.nodes()[0]?.state).toBe('closed');
  });

  test('that stands still is reported once', async () => {
    const stalls: number[] = [];
    const { nodes, open } = world(['a'], { stalledMs: 100, onStalled: ({ sinceMs }) => stalls.push(sinceMs) });
    nodes[0].height = 5;
    const client = open();
    await headOf(client);
    await until(() => stalls.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(stalls).toHaveLength(1);
  });
});

describe('a node that lies is excluded, and the honest one followed', () => {
  /** What it is excluded for when it reports a higher height than the honest one. */
  async function excluded(code: NodeFaultCode, lie: FakeNode['lie'], height = 60): Promise<void> {
    const { nodes, open } = world(['liar', 'honest']);
    const [liar, honest] = nodes;
    liar.height = height;
    liar.lie = lie;
    honest.height = 20;
    const client = open();
    await faulty(client, liar, code);
    expect(stateOf(client, liar)).toBe('excluded');
    expect((await headOf(client)).height).toBe(20);
    await honest.commit(21);
    expect((await headOf(client, 21)).node).toBe(honest.url);
    expect(client.nodes()[1]).toMatchObject({ faults: 0, state: 'following' });
  }

  test('with a certificate that too few signed', () =>
    excluded('false-certificate', (path) => (path === 'certificates/60' ? certificatesAt(60, '', [0, 1]) : undefined)));

  test('with the signature of another height', () =>
    excluded('false-certificate', async (path) => {
      if (path !== 'certificates/60') return undefined;
      const [there, here] = [await certificatesAt(59), await certificatesAt(60)];
      return { ...here, state: { ...here.state, aggregate: there.state?.aggregate } };
    }));

  test('with the certificates of another height', () =>
    excluded('false-certificate', (path) => (path === 'certificates/60' ? certificatesAt(59) : undefined)));

  test('with an answer without form', () =>
    excluded('false-certificate', (path) => (path === 'certificates/60' ? { height: 'sixty' } : undefined)));

  test('with an answer that never ends', () =>
    excluded('false-certificate', (path) => (path === 'certificates/60' ? endless() : undefined)));

  test('with a certificate of an old committee', () =>
    excluded(
      'false-certificate',
      async (path) => {
        if (path !== 'certificates/130') return undefined;
        const [old, here] = [await certificatesAt(60), await certificatesAt(130)];
        return { ...here, state: { ...here.state, signers: old.state?.signers, aggregate: old.state?.aggregate } };
      },
      130,
    ));

  test('with a handover that does not hold', () =>
    excluded(
      'false-handover',
      (path) => (path === 'handovers' ? { items: [handovers[1]], next: null } : undefined),
      130,
    ));

  test('of another chain', async () => {
    const { nodes, open } = world(['liar', 'honest']);
    nodes[0].genesisHash = `0x${'11'.repeat(32)}`;
    nodes[1].height = 3;
    const client = open();
    await faulty(client, nodes[0], 'other-chain');
    expect((await headOf(client)).height).toBe(3);
    expect(client.nodes()[0]?.excludedUntilMs).toBeGreaterThan(Date.now() + 50_000);
  });

  test('with another block than the proven one, before or after it was proven', async () => {
    for (const isFirst of [true, false]) {
      const { nodes, open } = world(['liar', 'honest']);
      const [liar, honest] = nodes;
      const client = open();
      await until(() => client.nodes().every(({ state }) => state === 'following'));
      liar.lie = (path) => (path === 'certificates/8' ? certificatesAt(8, 'other', [0, 1]) : undefined);
      if (isFirst) await liar.commit(8, 'other');
      await honest.commit(8);
      await headOf(client, 8);
      if (!isFirst) await liar.commit(8, 'other');
      await until(() => stateOf(client, liar) === 'excluded');
      expect(['contradiction', 'false-certificate']).toContain(faultOf(client, liar));
      expect(client.conflict()).toBeUndefined();
    }
  });

  test('with messages without end', async () => {
    const { nodes, open } = world(['liar', 'honest']);
    const client = open();
    await until(() => stateOf(client, nodes[0]) === 'following');
    for (let i = 0; i < 4_100; i++) nodes[0].send({ type: 'heartbeat', sequence: 1, atMs: 1 });
    expect(faultOf(client, nodes[0])).toBe('flood');
    expect(stateOf(client, nodes[0])).toBe('excluded');
  });
});

describe('a node that is', () => {
  test('behind, or hides heights, is named for it, and no more once it is not', async () => {
    const { nodes, open } = world(['slow', 'honest'], { behindHeights: 10 });
    const [slow, honest] = nodes;
    [slow.height, honest.height] = [30, 41];
    const client = open();
    await headOf(client, 41);
    await faulty(client, slow, 'behind');
    expect(client.nodes().map(({ behind, state }) => [behind, state])).toEqual([
      [true, 'following'],
      [false, 'following'],
    ]);
    await slow.commit(41);
    await until(() => client.nodes()[0]?.behind === false);
  });

  test('behind for too long is named for it, by one height', async () => {
    const { nodes, open } = world(['slow', 'honest'], { behindMs: 100 });
    [nodes[0].height, nodes[1].height] = [30, 31];
    const client = open();
    await faulty(client, nodes[0], 'behind');
  });

  test('reporting heights that it does not prove is named for it, and does not hold up the others', async () => {
    const { nodes, open } = world(['boaster', 'honest']);
    const [boaster, honest] = nodes;
    boaster.height = 1_000_000_000;
    boaster.lie = (path) => (path.startsWith('certificates') ? new Response('{}', { status: 503 }) : undefined);
    honest.height = 12;
    const client = open();
    expect((await headOf(client)).height).toBe(12);
    expect(client.nodes()[1]?.behind).toBe(false);
    await faulty(client, boaster, 'unproven');
    expect(stateOf(client, boaster)).toBe('following');
  }, 20_000);
});

test('two certified chains are a conflict with culprits, and nothing is read any more', async () => {
  const conflicts: unknown[] = [];
  const { nodes, open } = world(['a', 'b'], { onConflict: (conflict) => conflicts.push(conflict) });
  const [a, b] = nodes;
  const client = open();
  await until(() => client.nodes().every(({ state }) => state === 'following'));
  b.lie = (path) => (path === 'certificates/9' ? certificatesAt(9, 'fork', [1, 2, 3]) : undefined);
  await a.commit(9);
  await headOf(client);
  await b.commit(9, 'fork');
  await until(() => conflicts.length > 0);
  const first = await certificatesAt(9);
  expect(client.conflict()).toMatchObject({
    nodes: [a.url, b.url],
    first: { height: 9, blockId: first.blockId },
    culprits: { genesisHash, weight: 2, totalWeight: 4, culprits: [{ index: 1 }, { index: 2 }] },
  });
  await expect(client.receipt(to0x(transactionId))).rejects.toMatchObject({ code: 'forked' });
  await expect(client.headAt()).rejects.toMatchObject({ code: 'forked' });
  expect(conflicts).toHaveLength(1);
});

describe('a read', () => {
  const id = to0x(transactionId);

  test('is answered with what a proof shows, from any node', async () => {
    const { nodes, open } = world(['a']);
    nodes[0].height = 130;
    const { value, node } = await open().receipt(id);
    expect({ height: value.receipt.height, node }).toEqual({ height: 130, node: 'http://a' });
  });

  test('is answered by the next node when a proof does not hold, or there is no answer', async () => {
    const { nodes, network, open } = world(['liar', 'none', 'honest']);
    const [liar, none] = nodes;
    for (const node of nodes) node.height = 20;
    liar.lie = async (path) => {
      if (!path.startsWith('transactions')) return undefined;
      const proof = await proofAt(20);
      return { ...proof, receipt: { ...proof.receipt, fee: '4' } };
    };
    none.lie = (path) => (path.startsWith('transactions') ? new Response('{}', { status: 502 }) : undefined);
    expect(network.options.checks).toBe('inline');
    const client = open();
    await headOf(client);
    expect((await client.receipt(id)).node).toBe('http://honest');
    expect([faultOf(client, liar), faultOf(client, none)]).toEqual(['false-proof', undefined]);
  });

  test('of another transaction than asked for is no answer', async () => {
    const { nodes, open } = world(['liar']);
    nodes[0].height = 20;
    const client = open();
    await headOf(client);
    await expect(client.receipt(`0x${'22'.repeat(32)}`)).rejects.toMatchObject({ code: 'unproven', retryable: true });
    expect(faultOf(client, nodes[0])).toBe('false-proof');
  });

  test('of present state is not taken below one that was proven', async () => {
    const { nodes, open } = world(['a']);
    nodes[0].height = 20;
    const client = open();
    await headOf(client);
    let height = 15;
    const present: ProofReader<number, number> = {
      ask: async () => height,
      verify: (value) => ({ ok: true, value }),
      presentHeight: (value) => value,
    };
    expect((await client.prove(present)).value).toBe(15);
    height = 14;
    await expect(client.prove(present)).rejects.toMatchObject({ code: 'unproven' });
    height = 15;
    expect((await client.prove(present)).value).toBe(15);
    expect(client.nodes()[0]?.faults).toBe(0);
  });
});

describe('a checkpoint', () => {
  test('is where the next client begins: no handover, no lower head', async () => {
    const { nodes, open } = world(['a']);
    nodes[0].height = 140;
    const first = open();
    await headOf(first);
    const checkpoint = JSON.parse(JSON.stringify(first.checkpoint()));
    first.close();
    const next = world(['b'], { checkpoint });
    next.nodes[0].height = 139;
    const client = next.open();
    await expect(client.headAt({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' });
    await next.nodes[0].commit(141);
    expect(await headOf(client)).toMatchObject({ height: 141, epoch: 2 });
    expect(next.nodes[0].asked).toEqual(['certificates/141']);
  });

  test('of another chain, with other members, or without form is refused', () => {
    const { open } = world(['a']);
    const client = open();
    const checkpoint = client.checkpoint();
    const withCheckpoint = (change: object) => world(['b'], { checkpoint: { ...checkpoint, ...change } }).open;
    expect(withCheckpoint({ genesisHash: `0x${'00'.repeat(32)}` })).toThrow(
      expect.objectContaining({ code: 'wrong-chain' }),
    );
    for (const change of [{ members: checkpoint.members.slice(1) }, { members: 7 }, { height: -1 }, { epoch: 'one' }]) {
      expect(withCheckpoint(change)).toThrow(expect.objectContaining({ code: 'bad-argument' }));
    }
  });
});

test.each([
  ['no genesis file', { genesis: {} }],
  ['no node', { urls: [] }],
  ['a node twice', { urls: ['http://a', 'http://a'] }],
  ['no address', { urls: ['a'] }],
])('%s is refused', (_, options) => {
  expect(world(['a'], options).open).toThrow(expect.objectContaining({ code: 'bad-argument' }));
});

function endless(): Response {
  const chunk = new Uint8Array(1024 * 1024);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
}
