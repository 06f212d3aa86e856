import { to0x, toHex } from '@slipstream/primitives';
import { accountKeyBytes, accountKeyText, type StateDigest } from '@slipstream/types';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  builtApplication,
  exampleSource,
  freshApplications,
  type TestApplication,
} from '../../execution/test/application-builders.ts';
import {
  account,
  GENESIS,
  type Node,
  type Proposed,
  settle,
  transaction,
  transfer,
  until,
  untilCommitted,
  World,
} from './world.ts';

let token: TestApplication;
let escrow: TestApplication;

beforeAll(async () => {
  token = await builtApplication(exampleSource('token'));
  escrow = await builtApplication(exampleSource('escrow'));
});

const text = (number: number): string => accountKeyText(account(number));

/** One call of the token in each block, and a plain transfer. */
function chainOf(world: World, blocks: number, value: (height: number) => string): readonly Proposed[] {
  const chain = [GENESIS];
  for (let i = 1; i <= blocks; i++) {
    const call = token.call('transfer', { to: text(2 + (i % 2)), value: value(i) });
    const transactions = [call, transfer(2, 1n)].map((action) => transaction({ actions: [action] }));
    chain.push(world.blockOn(chain.at(-1) as Proposed, { transactions }));
  }
  return chain.slice(1);
}

/** In new realms. */
async function open(world: World): Promise<Node> {
  const applications = [token.inGenesis({ holders: [{ owner: text(1), value: '1000' }] })];
  return world.open({ applications, components: { applications: freshApplications([token]) } });
}

async function rootsOf({ ledger }: Node, heights: number): Promise<readonly string[]> {
  const found = await ledger.preimages(1 as never, heights as never);
  return found.map(({ stateRoot, receiptsRoot }) => `${toHex(stateRoot)} ${toHex(receiptsRoot)}`);
}

describe('A9: calls in the pipeline', () => {
  it('have the same roots and digests on a node that executed rivals first, and on one that starts again in between', async () => {
    const world = new World({ slow: true });
    const node = await open(world);
    const chain = chainOf(world, 4, (height) => String(10 * height));
    const rivals = chainOf(world, 4, () => '900');
    for (const { blockId, block } of rivals) void node.pipeline.execute(blockId, block);
    await until(() => node.pipeline.status().executedHeight === 4);
    const digests: StateDigest[] = [];
    for (const [i, each] of chain.entries()) {
      digests.push(await settle(node, each));
      await untilCommitted(node, i + 1);
    }
    const other = new World();
    for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
    const first = await open(other);
    for (const each of chain.slice(0, 2)) await settle(first, each);
    await untilCommitted(first, 2);
    await first.pipeline.stop();
    await first.state.close();
    const again = await open(other);
    const theirs = await Promise.all(chain.slice(2).map((each) => settle(again, each)));
    await untilCommitted(again, 4);
    expect(theirs.map(toHex)).toEqual(digests.slice(2).map(toHex));
    expect(await rootsOf(again, 4)).toEqual(await rootsOf(node, 4));
    const outcomes = node.committed.flatMap(({ receipts }) => receipts.map(({ outcome }) => outcome.status));
    expect(outcomes).toEqual(new Array(8).fill('success'));
  });

  it('have other roots where the state of genesis differs', async () => {
    const world = new World();
    const [one] = chainOf(world, 1, () => '10');
    const other = await world.open({
      applications: [token.inGenesis({ holders: [{ owner: text(1), value: '999' }] })],
      components: { applications: freshApplications([token]) },
    });
    const digest = await settle(other, one as Proposed);
    const second = new World();
    for (const [id, chunk] of world.chunks) second.chunks.set(id, chunk);
    expect(toHex(await settle(await open(second), one as Proposed))).not.toBe(toHex(digest));
  });
});

describe('histories of accounts', () => {
  it('have the calls that an account sent, that name it, in input or events, and that paid it', async () => {
    const world = new World();
    const applications = [token.inGenesis({ holders: [{ owner: text(1), value: '1000' }] }), escrow.inGenesis({})];
    const components = { applications: freshApplications([token, escrow]) };
    const node = await world.open({ applications, components });
    const [buyer, seller, arbiter, spender] = [1, 2, 3, 7];
    const terms = { seller: text(seller), arbiter: text(arbiter), value: '40', deadlineMs: 2_000_000_000_000 };
    const opened = transaction({ from: buyer, actions: [escrow.call('open', terms)] });
    const release = escrow.call('release', { deal: to0x(opened.id) });
    const calls = [
      opened,
      transaction({ from: arbiter, actions: [release] }),
      transaction({ from: buyer, actions: [token.call('approve', { spender: text(spender), value: '5' })] }),
      // Fails: it is closed. It belongs to its sender alone.
      transaction({ from: arbiter, actions: [release] }),
    ];
    await settle(node, world.blockOn(GENESIS, { transactions: calls }));
    await untilCommitted(node, 1);
    const historyOf = async (number: number) => {
      const { entries } = await node.ledger.accountTransactions(accountKeyBytes(account(number)), { limit: 10 });
      return entries.map(({ index }) => index).reverse();
    };
    expect(await historyOf(buyer)).toEqual([0, 2]);
    expect(await historyOf(seller)).toEqual([0, 1]);
    expect(await historyOf(arbiter)).toEqual([0, 1, 3]);
    expect(await historyOf(spender)).toEqual([2]);
    const page = await node.ledger.events({ application: 1 }, { limit: 10 });
    expect(page?.events.map(({ index, event }) => [index, event])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });
});
