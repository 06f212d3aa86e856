/** What a node keeps out of its own pool and blocks, and still takes from others (applications.md, A22). */
import { describe, expect, it } from 'vitest';
import type { Rules } from '../src/components.ts';
import { block, createTestNetwork, idOf, transaction, unitsOf } from './harness/network.ts';
import { build, certify, check, submit } from './harness/steps.ts';

const quarantined = transaction();
const other = transaction();

function networkWith(quarantine: Rules['quarantine']) {
  return createTestNetwork({ overrides: { rules: { unitsOf, feeOf: () => 0n, quarantine } } });
}

describe('quarantine', () => {
  it('refuses a transaction at the pool, with its reason', async () => {
    const network = networkWith({ refusalOf: () => 'kept out', holds: () => false });
    const result = network.node(0).dissemination.submit(other);
    await network.pass(2);
    expect(await result).toMatchObject({ type: 'rejected', reason: 'call-quarantined', message: 'kept out' });
  });

  it('leaves a chunk with the transaction out of own blocks, and votes for the blocks of others with it', async () => {
    let isOn = false;
    const network = networkWith({
      refusalOf: () => undefined,
      holds: (ids) => isOn && ids.includes(idOf(quarantined)),
    });
    await submit(network, network.node(0), quarantined);
    await certify(network);
    const payload = await build(network, network.node(1));
    expect(payload).toHaveLength(1);
    isOn = true;
    expect(await build(network, network.node(1))).toEqual([]);
    const proposed = block({ parentId: network.genesisId, payload });
    expect(await check(network, network.node(1), proposed)).toBe('valid');
  });
});
