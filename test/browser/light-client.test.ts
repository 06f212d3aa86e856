/** A light client in a tab: signatures are verified in a worker, with WebAssembly where the policy allows it. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { certificatesAt, fakeNetwork, genesis, handovers } from '../../packages/client/test/light/fake-nodes.ts';
import { measureInBrowser } from '../../scripts/bench/browser/measure.ts';
import type { PageAnswer, PageRequest } from './light-client/page.ts';

test('the honest node is followed over handovers, the lying one named, with and without WebAssembly', async () => {
  const network = fakeNetwork();
  const messages = (name: string, height: number) => {
    const node = network.node(name);
    node.height = height;
    return node.greeting();
  };
  const answers = async (height: number, signers?: readonly number[]) => ({
    [`/v1/certificates/${height}`]: await certificatesAt(height, '', signers),
    '/v1/handovers': { items: handovers, next: null },
  });
  const request: PageRequest = {
    genesis,
    nodes: {
      liar: { messages: messages('liar', 150), answers: await answers(150, [0, 1]) },
      honest: { messages: messages('honest', 140), answers: await answers(140) },
    },
  };
  const page = fileURLToPath(new URL('light-client/page.ts', import.meta.url));
  const { webassembly, javascript } = await measureInBrowser<PageAnswer>(page, request);
  for (const { height, node, faults } of [webassembly, javascript]) {
    expect({ height, node, faults }).toEqual({
      height: 140,
      node: 'http://honest',
      faults: ['false-certificate', undefined],
    });
  }
  expect(webassembly.loaded.some((path) => path.includes('aggregate-worker'))).toBe(true);
}, 180_000);
