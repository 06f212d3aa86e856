/**
 * A real validator that shows two valid blocks in each view it leads (hostile/two-faced-network.ts), under load, with kill -9 of each
 * honest one.
 *
 *   split:  each node sees one of two blocks --> one is notarized, or none --> nodes that appended the other revert it
 *   to-all: each node sees both              --> evidence, and the liar is blocked
 */

import { type ClusterLoad, startClusterLoad } from '@slipstream/app-loadgen';
import { root } from '@slipstream/checkout';
import { verifyEvidence } from '@slipstream/client';
import {
  blockIds,
  type ClusterNode,
  createCluster,
  disagreements,
  eventually,
  notFinal,
  type TemporaryNetwork,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareStates, NO_IDLE_BLOCKS, untilStill } from '../../scripts/chaos/final-checks.ts';
import { askFor, type Deed, deedsOf } from './hostile/two-faced-deeds.ts';
import { metricOf } from './metrics.ts';
import { REPORTS_OFF } from './reports-off.ts';

const TRAITOR = 'validator-3';
const HONEST = ['validator-0', 'validator-1', 'validator-2'];
const FOLLOWER = 'full-node-0';
const TPS = 10;
/** Transfers that must become final before a test continues. */
const FLOWING = 5 * TPS;
/** Limit of each wait; a free machine takes seconds. */
const SEEN_MS_MAX = 120_000;

const LEADER_MODES = [
  { mode: 'leaders wait for their parent', kind: 'normal', shape: {} },
  {
    mode: 'views overlap and votes are early',
    kind: 'optimistic',
    // 31 ms between two halves: longer than a leader waits after its parent's arrival.
    shape: {
      regions: ['us-west-1', 'us-east-1'],
      flags: ['--consensus-min-block-interval-ms', '20', '--consensus-early-vote-views', '1'],
    },
  },
] as const;

describe.each(LEADER_MODES)('when $mode', ({ kind, shape }) => {
  let network: TemporaryNetwork;
  let load: ClusterLoad;
  /** Ever final, by height. */
  let finalBefore: ReadonlyMap<number, string> = new Map();

  beforeAll(async () => {
    network = await temporaryNetwork({
      validators: 4,
      fullNodes: 1,
      ...shape,
      flagsOf: () => REPORTS_OFF,
      runtimeFlagsOf: ({ name }) => (name === TRAITOR ? ['--import', `${root}/test/chaos/hostile/two-faced.mjs`] : []),
    });
    await network.start();
    load = await startClusterLoad(network, { transactionsPerSecond: TPS });
  });

  afterAll(() => network?.remove());

  const witnesses = (): readonly ClusterNode[] => [...HONEST, FOLLOWER].map(network.node);
  const deeds = (): Promise<readonly Deed[]> => deedsOf(network.node(TRAITOR).home);

  async function untilFinal(more: number): Promise<void> {
    const wanted = load.sent.counts().final + more;
    await eventually(`${more} more final transfers`, SEEN_MS_MAX, async () =>
      load.sent.counts().final >= wanted ? true : undefined,
    );
  }

  /** No two nodes have different blocks at a height, and no final block was replaced. */
  async function checkOneChain(): Promise<ReadonlyMap<number, string>> {
    const chains = await Promise.all(witnesses().map(({ client }) => blockIds(client)));
    for (const chain of chains) {
      expect(disagreements(finalBefore, chain)).toEqual([]);
      for (const height of finalBefore.keys()) expect(chain.has(height), `block ${height} is still there`).toBe(true);
      for (const other of chains) expect(disagreements(chain, other)).toEqual([]);
    }
    const longest = chains.reduce((a, b) => (b.size > a.size ? b : a));
    finalBefore = longest;
    return longest;
  }

  /** The liar's views with a final block. */
  async function finalDeeds(): Promise<readonly (Deed & { readonly won: number })[]> {
    const final = new Set((await checkOneChain()).values());
    return (await deeds())
      .map((deed) => ({ ...deed, won: deed.blocks.findIndex((id) => final.has(id)) }))
      .filter(({ won }) => won >= 0);
  }

  test('at most one of two blocks is final; a node that committed the other optimistically reverts it', async () => {
    await untilFinal(FLOWING);
    await eventually(`two ${kind} proposals in some view`, SEEN_MS_MAX, async () =>
      (await deeds()).some((deed) => deed.kind === kind) ? true : undefined,
    );
    for (const node of witnesses()) {
      await eventually(`${node.name} takes back a block that it committed ahead`, SEEN_MS_MAX, async () =>
        (await metricOf(node, 'slipstream_pipeline_reverted_blocks_total')) > 0 ? true : undefined,
      );
    }
    await eventually('now this block and now the other is final', SEEN_MS_MAX, async () =>
      new Set((await finalDeeds()).map(({ won }) => won)).size === 2 ? true : undefined,
    );
    await eventually('a view without its vote has passed', SEEN_MS_MAX, async () =>
      (await deeds()).some(({ votes }) => votes === 'withheld') ? true : undefined,
    );
    const final = await finalDeeds();
    expect(final.filter(({ votes }) => votes === 'withheld')).toEqual([]);
  });

  test('blocks of each honest leader become final, and no honest validator is blocked', async () => {
    const [{ client } = network.node(FOLLOWER)] = witnesses();
    const wanted = HONEST.map((name) => network.node(name).validator);
    await eventually('a newest page of blocks with one of each honest leader', SEEN_MS_MAX, async () => {
      const { items } = await client.blocks({ limit: 100 });
      const leaders = new Set(items.map(({ block }) => block.proposer));
      return wanted.every((leader) => leader !== undefined && leaders.has(leader)) ? true : undefined;
    });
    await checkOnlyTraitorBlamed();
  });

  test('each honest validator is killed and restarted meanwhile, and blocks stay final', async () => {
    for (const name of HONEST) {
      const led = (await deeds()).length;
      await eventually('it leads again', SEEN_MS_MAX, async () => ((await deeds()).length > led ? true : undefined));
      await network.kill([name]);
      await network.start([name]);
      await untilFinal(FLOWING);
      const { height } = await network.node(FOLLOWER).client.status();
      await untilHeight({ ...network, nodes: witnesses() }, height, SEEN_MS_MAX);
      await checkOneChain();
    }
    await checkOnlyTraitorBlamed();
  });

  test('no accepted transaction is lost, and a final block is final at every node', async () => {
    await load.finish();
    expect(load.sent.counts().lost).toBe(0);
    const ids = load.sent.finalIds();
    expect(ids.length).toBeGreaterThan(FLOWING);
    for (const { name, client } of witnesses()) {
      await eventually(`all is final at ${name}`, SEEN_MS_MAX, async () =>
        (await notFinal(client, ids)).length === 0 ? true : undefined,
      );
    }
  });

  test('every honest validator that receives both blocks has evidence and blocks the leader', async () => {
    const traitor = network.node(TRAITOR);
    await askFor(traitor.home, 'to-all');
    for (const { name, client } of HONEST.map(network.node)) {
      const offender = traitor.validator;
      const evidence = await eventually(`${name} has evidence`, SEEN_MS_MAX, async () =>
        (await client.call('evidence')).items.find((item) => item.type === 'proposals' && item.offender === offender),
      );
      expect(verifyEvidence(evidence, await client.genesis())).toMatchObject({ ok: true, value: { offender } });
      const found = await eventually(`${name} blocks it`, SEEN_MS_MAX, async () => {
        const { items } = await client.peers();
        return items.find(({ validator, blocked }) => validator === offender && blocked !== null);
      });
      expect(found.blocked).toMatchObject({ reason: 'equivocation', by: 'node' });
    }
    await checkOnlyTraitorBlamed();
    const { height } = await network.node(FOLLOWER).client.status();
    await untilHeight({ ...network, nodes: witnesses() }, height + 5, SEEN_MS_MAX);
  });

  test('after the run all honest nodes and the follower have the same blocks and state bytes', async () => {
    await checkOneChain();
    for (const { process } of witnesses()) expect(await process.errors()).toEqual([]);
    await network.stop();
    const still = await createCluster({
      folder: network.folder,
      validators: 0,
      fullNodes: 0,
      basePort: 0,
      apiPort: 0,
      flags: NO_IDLE_BLOCKS,
    });
    const names = [...HONEST, FOLLOWER];
    const honest = { ...still, nodes: names.map(still.node) };
    try {
      await still.start(names);
      await untilStill(honest);
      const [first = new Map(), ...others] = await Promise.all(honest.nodes.map(({ client }) => blockIds(client)));
      expect(disagreements(finalBefore, first)).toEqual([]);
      for (const other of others) expect([...other]).toEqual([...first]);
    } finally {
      await still.stop();
    }
    const { bytes, faults } = await compareStates(honest);
    expect(bytes).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  async function checkOnlyTraitorBlamed(): Promise<void> {
    const { validator: traitor } = network.node(TRAITOR);
    for (const { name, client } of witnesses()) {
      const { items } = await client.call('evidence');
      expect(
        items.filter(({ offender }) => offender !== traitor),
        `evidence at ${name}`,
      ).toEqual([]);
      const peers = await client.peers();
      const wrongly = peers.items.filter(({ validator, blocked }) => blocked !== null && validator !== traitor);
      expect(wrongly, `blocked by ${name}`).toEqual([]);
    }
  }
});
