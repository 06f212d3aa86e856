/** A fork at a handover: what follows is signed by other keys on each side, and no height is certified twice by one committee. */
import { type HandoverJson, handoverToJson } from '@slipstream/schema';
import type { Handover } from '@slipstream/types';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LightClient, openLightClient } from '../../src/light/index.ts';
import { certificatesAt, type FakeNode, fakeNetwork, handovers, rivalChain } from './fake-nodes.ts';

function world(names: readonly [string, string]) {
  const network = fakeNetwork();
  const [a, b] = names.map((name) => network.node(name)) as [FakeNode, FakeNode];
  const open = () => {
    const client = openLightClient({ ...network.options, urls: [a.url, b.url] });
    onTestFinished(() => client.close());
    return client;
  };
  return { nodes: [a, b] as const, open };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const viewOf = (client: LightClient, { url }: FakeNode) => client.nodes().find((node) => node.url === url);

describe('two records of one epoch', () => {
  const rivals = rivalChain.handovers.map(handoverToJson);
  const ofRival: (items: readonly HandoverJson[]) => FakeNode['lie'] = (items) => (path) => {
    if (path === 'handovers') return { items, next: null };
    return path === 'certificates/140' ? certificatesAt(140, '', undefined, rivalChain) : undefined;
  };

  test.each([
    ['after its height was proven elsewhere', 140],
    ['above what was proven', 130],
  ])('that a committee certified are a conflict with culprits, shown by a certificate %s', async (_, height) => {
    const { nodes, open } = world(['a', 'b']);
    const [a, b] = nodes;
    a.height = height;
    b.lie = ofRival(rivals);
    const client = open();
    await client.headAt({ timeoutMs: 120_000 });
    await b.commit(140, 'rival');
    await until(() => client.conflict() !== undefined);
    expect(client.conflict()).toMatchObject({
      nodes: [a.url, b.url],
      first: { height: 63, state: { epoch: 0 } },
      second: { height: 63, state: { epoch: 0 } },
      culprits: { epoch: 0, weight: 3, totalWeight: 4 },
    });
    await expect(client.headAt()).rejects.toMatchObject({ code: 'forked' });
  });

  test('are a conflict, shown by the handover after them', async () => {
    const { nodes, open } = world(['a', 'b']);
    const [a, b] = nodes;
    a.height = 70;
    a.lie = (path) => (path === 'handovers' ? { items: handovers.slice(0, 1), next: null } : undefined);
    b.lie = ofRival(rivals);
    const client = open();
    await client.headAt({ timeoutMs: 120_000 });
    expect(client.committees.newest().epoch).toBe(1);
    await b.commit(140, 'rival');
    await until(() => client.conflict() !== undefined);
  });

  test('are a lie where a signature does not hold', async () => {
    const { nodes, open } = world(['a', 'b']);
    const [a, b] = nodes;
    a.height = 130;
    const [first, second] = [rivalChain.handovers[0], rivalChain.handovers[1]] as [Handover, Handover];
    const certificate = { ...first.certificate, aggregate: second.certificate.aggregate };
    b.lie = ofRival([handoverToJson({ ...first, certificate })]);
    const client = open();
    await client.headAt({ timeoutMs: 120_000 });
    await b.commit(140, 'rival');
    await until(() => viewOf(client, b)?.lastFault?.code === 'false-certificate');
    expect(client.conflict()).toBeUndefined();
    expect(viewOf(client, b)?.state).toBe('excluded');
  });
});
