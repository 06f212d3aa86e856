/** Readiness that a node reports by itself. */
import { readValidator } from '@slipstream/execution';
import { expect, test } from 'vitest';
import {
  addition,
  type EpochChain,
  epochChain,
  epochGenesis,
  idOf,
  keysOf,
  operatorOf,
  rotation,
} from '../../../../packages/execution/test/epoch-world.ts';
import { heldKeys, heldOf, reportingNode } from './report-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };

const validatorOf = (chain: EpochChain, name: string) =>
  readValidator({ get: ({ bytes }) => chain.read(bytes) }, idOf(name));

test('nothing is sent while the chain waits for nothing', async () => {
  const { look, reports } = reportingNode(epochChain(epochGenesis(FOUR)), { held: heldOf('a') });
  expect(await look()).toEqual([]);
  expect(reports.read()).toMatchObject({ account: { balance: 0n }, unpaid: [] });
});

test('a candidate reports itself ready once it is synced and connected, and once', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const { node, look } = reportingNode(chain, { held: heldOf('f') });
  chain.decide([addition('f', 1)]);
  node.isReady = false;
  expect(await look()).toEqual([]);
  node.isReady = true;
  expect(await look()).toMatchObject([{ kind: 'ready', ...keysOf('f'), epoch: 0, version: 1 }]);
  expect(node.codes).toEqual([undefined]);
  expect(await look(3_600_000)).toHaveLength(1);
  chain.untilSealed();
  expect(chain.move()).toEqual({ ...FOUR, f: 1 });
});

test('keys of a rotation are read when the chain waits for them, and then reported', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const both = heldKeys(keysOf('a'), keysOf('a', 1));
  const { node, look, held } = reportingNode(chain, { held: heldOf('a'), readKeys: async () => both });
  chain.act(operatorOf('a'), rotation('a', 1));
  await look();
  expect(held.blsKeys).toEqual(both.blsKeys);
  expect(await look()).toMatchObject([{ kind: 'ready', ...keysOf('a', 1) }]);
  expect(node.codes).toEqual([undefined]);
  expect(validatorOf(chain, 'a')?.ready).toBe(true);
});

test('a member reports a proposed version that its program knows, and no other', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const old = reportingNode(chain, { held: heldOf('a') });
  const fresh = reportingNode(chain, { held: heldOf('b'), knownVersion: 2 });
  expect(await fresh.look()).toEqual([]);
  chain.decide([{ kind: 'setVersion', version: 2 }]);
  expect(await old.look()).toEqual([]);
  expect(await fresh.look()).toMatchObject([{ kind: 'ready', ...keysOf('b'), version: 2 }]);
  expect(validatorOf(chain, 'b')?.version).toBe(2);
});

test('a benched member reports itself ready when its time is over, and not before', async () => {
  const chain = epochChain({ ...epochGenesis(FOUR), leaderReputation: true });
  const { look } = reportingNode(chain, { held: heldOf('a') });
  const reputation = () => validatorOf(chain, 'a')?.reputation;
  chain.turn.proposer = 1;
  while (reputation()?.benched !== true) {
    // Each block passes over all turns of a round.
    chain.turn.lostViews = 4;
    chain.execute([]);
  }
  chain.move();
  expect(reputation()).toMatchObject({ benched: true, ready: false });
  while (chain.height + 1 < (reputation()?.untilHeight ?? 0)) {
    expect(await look()).toEqual([]);
    for (let i = 0; i < 300 && chain.height + 1 < (reputation()?.untilHeight ?? 0); i++) chain.execute([]);
  }
  expect(await look()).toMatchObject([{ kind: 'ready', ...keysOf('a'), epoch: 1 }]);
  // The block that executes the report seals the return.
  expect(reputation()).toMatchObject({ benched: false });
});

test('a report that is lost is sent again, more and more seldom, and at once in a new epoch', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const { node, look } = reportingNode(chain, { held: heldOf('f') });
  chain.decide([addition('f', 1)]);
  node.losesAll = true;
  let sent = 0;
  for (let seconds = 0; seconds < 300; seconds += 2) sent = (await look()).length;
  expect(sent).toBe(5);
  chain.decide([{ kind: 'setWeight', validatorId: idOf('b'), weight: 2 }]);
  chain.untilSealed();
  chain.move();
  node.losesAll = false;
  expect((await look()).at(-1)).toMatchObject({ kind: 'ready', epoch: 1 });
  expect(node.codes).toEqual([undefined]);
});

test('without an account, or with a poor one, it says what it cannot send; once funded it sends', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const without = reportingNode(chain, { held: heldOf('f'), hasAccount: false });
  const poor = reportingNode(chain, { held: heldOf('f'), price: 1n });
  chain.decide([addition('f', 1)]);
  await without.look();
  expect(without.reports.read()).toEqual({ account: undefined, unpaid: ['ready'] });
  expect(await poor.look()).toEqual([]);
  expect(poor.reports.read()).toMatchObject({ account: { balance: 0n }, unpaid: ['ready'] });
  poor.node.price = 0n;
  expect(await poor.look()).toHaveLength(1);
  await poor.look();
  expect(poor.reports.read().unpaid).toEqual([]);
});

test('a read that fails is tried again', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const { node, look } = reportingNode(chain, { held: heldOf('f') });
  chain.decide([addition('f', 1)]);
  node.readFails = true;
  expect(await look()).toEqual([]);
  node.readFails = false;
  expect(await look()).toHaveLength(1);
});

test('keys that cannot be read are tried more and more seldom, and hold up no other report', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  let reads = 0;
  const readKeys = async () => {
    reads++;
    throw new Error('keys/next has no password yet');
  };
  const { look } = reportingNode(chain, { held: heldKeys(keysOf('a'), keysOf('f')), readKeys });
  chain.act(operatorOf('a'), rotation('a', 1));
  chain.decide([addition('f', 1)]);
  for (let seconds = 0; seconds < 60; seconds += 2) await look();
  expect(reads).toBe(3);
  expect(await look()).toMatchObject([{ kind: 'ready', ...keysOf('f') }]);
});

test('a report that is under way is not called unpaid', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const { node, look, reports } = reportingNode(chain, { held: heldOf('f') });
  const seen: unknown[] = [];
  Object.defineProperty(node, 'isReady', { get: () => seen.push(reports.read().unpaid) > 0 });
  chain.decide([addition('f', 1)]);
  expect(await look()).toHaveLength(1);
  expect(seen).toEqual([[]]);
});
