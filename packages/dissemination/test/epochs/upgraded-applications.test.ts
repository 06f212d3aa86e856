/** An upgrade of an application at a boundary, while pools hold calls whose units the new manifest changes (applications.md, A16). */
import { addUnits, type Epoch, type Transaction, type Units } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  accountOf,
  createTestNetwork,
  idOf,
  peerKey,
  type TestNetwork,
  transaction,
  unitsOf,
} from '../harness/network.ts';
import { certify, submit } from '../harness/steps.ts';
import { headersBy } from '../harness/two-epochs.ts';

const NODES = [0, 1, 2, 3] as const;
const MORE: Units = [0, 7, 0, 0, 0];
const [first, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const waiting = () => transaction({ from: accountOf(0) });

const unitsIn = (of: Transaction | undefined, bytes: number, epoch: Epoch) =>
  epoch === 0 ? unitsOf(of, bytes) : addUnits(unitsOf(of, bytes), MORE);

/** @param lacking the node without the new artifact */
function createNetwork(lacking?: number): TestNetwork {
  return createTestNetwork({
    committees: [[...NODES], [...NODES]],
    applications: [[first], [second]],
    overrides: (peer) => ({
      rules: {
        unitsOf: (of, bytes, epoch) =>
          epoch > 0 && lacking !== undefined && peer === peerKey(lacking) ? undefined : unitsIn(of, bytes, epoch),
        feeOf: () => 0n,
      },
    }),
  });
}

async function moveAll(network: TestNetwork): Promise<void> {
  for (const number of NODES) network.node(number).seal();
  for (const number of NODES) network.node(number).move();
  // They enter the pool again half a second later.
  await network.pass(1_000);
}

const offences = (network: TestNetwork) => NODES.flatMap((number) => network.node(number).offences);

describe('calls that wait at an upgrade', () => {
  it('are measured again: the next chunk has their sum by the new manifest, and no node blames its producer', async () => {
    const network = createNetwork();
    const [node, bytes] = [network.node(0), waiting()];
    await submit(network, node, bytes);
    await moveAll(network);
    const { epoch, units, transactionCount } = headersBy(node).at(-1) ?? {};
    expect([epoch, transactionCount]).toEqual([1, 1]);
    expect(units?.[1]).toBe(17);
    expect(node.dissemination.status(idOf(bytes)).status).toBe('attested');
    expect(offences(network)).toEqual([]);
  });

  it('in an uncertified chunk of the epoch before are packed again with the new sum', async () => {
    const network = createNetwork();
    const [node, bytes] = [network.node(0), waiting()];
    for (const other of [1, 2, 3]) network.cut(peerKey(0), peerKey(other));
    await submit(network, node, bytes);
    await certify(network);
    expect(headersBy(node).map(({ epoch }) => epoch)).toEqual([0]);
    network.heal();
    await moveAll(network);
    await network.pass(2_000);
    const { epoch, units } = headersBy(node).at(-1) ?? {};
    expect([epoch, units?.[1]]).toEqual([1, 17]);
    expect(offences(network)).toEqual([]);
  });
});

describe('a node that lacks the artifact of the epoch', () => {
  it('takes no new transaction, judges no sum of units, and blames no producer', async () => {
    const network = createNetwork(3);
    await submit(network, network.node(0), waiting());
    await moveAll(network);
    const refused = network.node(3).dissemination.submit(waiting());
    await network.pass(2);
    expect(await refused).toMatchObject({ type: 'rejected', reason: 'congested', retryAfterMs: expect.any(Number) });
    expect(headersBy(network.node(0)).at(-1)?.epoch).toBe(1);
    expect(offences(network)).toEqual([]);
  });
});
