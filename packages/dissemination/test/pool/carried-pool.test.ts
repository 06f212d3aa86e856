/** The pool of a node whose parts are exchanged while it runs. */
import { describe, expect, it } from 'vitest';
import { accountOf, createTestNetwork, idOf, transaction } from '../harness/network.ts';
import { build, certify, idsOf, submit } from '../harness/steps.ts';

describe('what a node accepted', () => {
  it('is carried over a restart of its parts while no chunk has it, and packed then', async () => {
    const network = createTestNetwork();
    const bytes = transaction({ from: accountOf(1) });
    await submit(network, network.node(1), bytes);
    const carried = network.node(1).dissemination.pooled();
    expect(carried).toEqual([bytes]);
    const node = await network.restart(1);
    node.dissemination.resubmit(carried);
    // The next restart may come before it is submitted.
    expect(node.dissemination.pooled()).toEqual([bytes]);
    await network.pass(1_500);
    expect(await idsOf(network.node(2), await build(network, network.node(2)))).toEqual([idOf(bytes)]);
  });

  it('is in the log once a chunk has it', async () => {
    const network = createTestNetwork();
    await submit(network, network.node(1), transaction({ from: accountOf(1) }));
    await certify(network);
    expect(network.node(1).dissemination.pooled()).toEqual([]);
  });
});
