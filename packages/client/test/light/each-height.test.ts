/** A light client that verifies each height, and judges what its caller holds. */
import { to0x } from '@slipstream/primitives';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HeightCheck, type LightClient, type LightClientOptions, openLightClient } from '../../src/light/index.ts';
import { verifyProof } from '../../src/verify-proof.ts';
import { certificatesAt, fakeNetwork, proofAt, transactionId } from './fake-nodes.ts';

function world(options: Partial<LightClientOptions> = {}) {
  const network = fakeNetwork();
  const node = network.node('a');
  return {
    node,
    open(): LightClient {
      const client = openLightClient({ ...network.options, urls: [node.url], ...options });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** Whatever else the machine does. */
const headOf = (client: LightClient, height: number) => client.headAt({ height, timeoutMs: 120_000 });

describe('each height', () => {
  function checking() {
    const checks: HeightCheck[] = [];
    const { node, open } = world({ heights: 'each', onCheck: (check) => checks.push(check) });
    return { node, checks, open, heights: () => checks.map(({ height }) => height) };
  }

  test('is verified in order, from 16 below the newest on', async () => {
    const { node, heights, open } = checking();
    node.height = 20;
    const client = open();
    await headOf(client, 20);
    expect(heights()).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    await node.commit(22);
    await headOf(client, 22);
    expect(heights().slice(-2)).toEqual([21, 22]);
  });

  test('without certificates is skipped once the node has newer ones', async () => {
    const { node, heights, open } = checking();
    node.height = 3;
    node.lie = (path) => (path === 'certificates/2' ? new Response('{}', { status: 503 }) : undefined);
    const client = open();
    await headOf(client, 3);
    expect(heights()).toEqual([1, 3]);
    expect(client.nodes()[0]?.faults).toBe(0);
  }, 30_000);

  test('with a certificate that does not hold is reported with the fault', async () => {
    const { node, checks, open } = checking();
    node.height = 2;
    node.lie = (path) => (path === 'certificates/2' ? certificatesAt(2, '', [0, 1]) : undefined);
    const client = open();
    while (checks.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(client.nodes()[0]?.lastFault?.code).toBe('false-certificate');
    expect(checks[0]).toMatchObject({ height: 1, node: node.url, result: { height: 1 } });
    expect(checks[1]).toMatchObject({ height: 2, result: { fault: expect.stringContaining('quorum') } });
  });
});

describe('what the caller holds is judged', () => {
  const id = to0x(transactionId);
  const judge = (client: LightClient, proof: unknown) =>
    client.judge((committees) => verifyProof(proof, committees, id));

  test('with the committees of its epoch, and its steps', async () => {
    const { node, open } = world();
    const client = open();
    const judged = await judge(client, await proofAt(130));
    expect(judged).toMatchObject({ ok: true, value: { receipt: { height: 130 } } });
    expect(node.asked).toEqual(['handovers']);
  });

  test('and refused at the step that fails, also at the signature; no node is blamed', async () => {
    const { open } = world();
    const client = open();
    const { ssz } = await proofAt(20);
    const other = await proofAt(20, 'other');
    const aggregateOf = (proof: typeof other) => proof.certificate.aggregate.slice(2);
    const forged = ssz.replace(aggregateOf(await proofAt(20)), aggregateOf(other));
    expect(forged).not.toBe(ssz);
    expect(await judge(client, forged)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('aggregate'), refusal: { step: 'signature' } },
    });
    expect(await judge(client, `${ssz.slice(0, -2)}00`)).toMatchObject({ ok: false });
    expect(client.nodes()[0]?.faults).toBe(0);
  });

  test('or nothing is said of it while its committee is not known', async () => {
    const { node, open } = world();
    node.lie = (path) => (path === 'handovers' ? new Response('{}', { status: 503 }) : undefined);
    const judged = await judge(open(), await proofAt(130));
    expect(judged).toMatchObject({ ok: false, error: { unknownEpoch: 2 } });
  });
});
