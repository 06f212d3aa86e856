/** Evidence that a node reports by itself: once for each key, each node in its turn. */
import { readRecord } from '@slipstream/execution';
import {
  type BlockId,
  chunkIdOf,
  type Evidence,
  epoch,
  genesisBlock,
  type SignedChunkHeader,
  type Vote,
  view,
} from '@slipstream/types';
import { expect, test } from 'vitest';
import { GENESIS_HASH } from '../../../../packages/execution/test/builders.ts';
import { epochChain, epochGenesis, keysOf } from '../../../../packages/execution/test/epoch-world.ts';
import { heldOf, reportingNode, signedBy } from './report-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const HOUR_MS = 3_600_000;

function vote(name: string, id: number, by = name): Vote {
  const blockId = new Uint8Array(32).fill(id) as BlockId;
  return {
    subject: { kind: 'notarize', epoch: epoch(0), view: view(7), blockId },
    signer: 'abcd'.indexOf(name),
    signature: signedBy(keysOf(by).blsPublicKey),
  };
}

function votesOf(name: string, by = name): Evidence {
  const [first, second] = [vote(name, 1, by), vote(name, 2, by)];
  return { type: 'votes', offender: first.signer, first, second };
}

function world() {
  const chain = epochChain(epochGenesis(FOUR));
  const record = readRecord({ get: ({ bytes }) => chain.read(bytes) }, 0);
  const nodeAt = (self: number | undefined) =>
    reportingNode(chain, { held: heldOf('a'), record, place: { self, members: 4 } });
  return { chain, record, nodeAt };
}

test('two votes are reported, and the next seal removes their signer', async () => {
  const { chain, nodeAt } = world();
  const { node, reports, look } = nodeAt(0);
  reports.evidence(votesOf('d'));
  expect(await look(HOUR_MS)).toMatchObject([{ kind: 'reportEquivocation', type: 'votes', ...only(keysOf('d')) }]);
  expect(node.codes).toEqual([undefined]);
  reports.evidence(votesOf('d'));
  await look(HOUR_MS);
  expect(await look(HOUR_MS)).toHaveLength(1);
  chain.untilSealed();
  expect(chain.move()).toEqual({ a: 1, b: 1, c: 1 });
});

function only({ blsPublicKey }: { readonly blsPublicKey: Uint8Array }) {
  return { blsPublicKey };
}

test('members take turns, so one of them reports; a full node waits for all of them', async () => {
  const { nodeAt } = world();
  const nodes = [0, 1, 2, 3, undefined].map(nodeAt);
  for (const { reports } of nodes) reports.evidence(votesOf('d'));
  for (let looks = 0; looks < 20; looks++) for (const { look } of nodes) await look();
  expect(nodes.map(({ node }) => node.sent.length).reduce((a, b) => a + b)).toBe(1);
  expect(nodes[4]?.node.sent).toEqual([]);
});

test('a member whose turn passes leaves the report to the next one', async () => {
  const { nodeAt } = world();
  const nodes = [0, 1, 2, 3].map(nodeAt);
  for (const { node } of nodes) node.losesAll = true;
  for (const { reports } of nodes) reports.evidence(votesOf('d'));
  for (let looks = 0; looks < 10; looks++) for (const { look } of nodes) await look();
  expect(nodes.every(({ node }) => node.sent.length > 0)).toBe(true);
});

test('chunks and proposals are reported by what their key signs', async () => {
  const { record, nodeAt } = world();
  const { node, reports, look } = nodeAt(0);
  const times = {
    createdMs: 1,
    expiryMs: 2,
    bodyHash: new Uint8Array(32),
    bodyBytes: 3,
    transactionCount: 1,
    batchCount: 0,
    rowCount: 0,
  };
  const chunk = (createdMs: number): SignedChunkHeader => ({
    header: {
      epoch: record.epoch,
      producer: 2,
      sequence: 5,
      ...times,
      createdMs,
      units: [1, 1, 1, 1, 1],
      acksWanted: false,
    },
    signature: signedBy(keysOf('c').blsPublicKey),
  });
  expect(chunkIdOf(chunk(0).header)).not.toEqual(chunkIdOf(chunk(1).header));
  reports.evidence({ type: 'chunks', offender: 2, first: chunk(0), second: chunk(1) });
  const proposal = (timestampMs: number) => ({
    kind: 'normal' as const,
    justification: [],
    signature: signedBy(keysOf('d').blsPublicKey),
    block: { ...genesisBlock(GENESIS_HASH, 0), view: view(3), timestampMs, proposer: 3 },
  });
  reports.evidence({ type: 'proposals', offender: 3, first: proposal(1), second: proposal(2) });
  await look(HOUR_MS);
  const sent = await look(HOUR_MS);
  expect(sent.map((action) => action.kind === 'reportEquivocation' && action.type)).toEqual(['chunks', 'proposals']);
  expect(node.codes).toEqual([undefined, undefined]);
});

test('what an honest validator may sign, and what the offender did not sign, is not reported', async () => {
  const { nodeAt } = world();
  const { reports, look } = nodeAt(0);
  const same = vote('d', 1);
  reports.evidence({ type: 'votes', offender: 3, first: same, second: same });
  reports.evidence(votesOf('c', 'b'));
  expect(await look(HOUR_MS)).toEqual([]);
});

test('of many contradictions of one key the first is checked, at a start too', async () => {
  const { nodeAt } = world();
  const { node, reports, look } = nodeAt(0);
  for (let i = 0; i < 1_000; i++) reports.evidence(votesOf('d'));
  reports.evidence(votesOf('c'));
  while (node.checks < 2) await look();
  for (let looks = 0; looks < 3; looks++) await look(HOUR_MS);
  for (const name of ['c', 'd']) expect(node.sent).toContainEqual(expect.objectContaining(only(keysOf(name))));
  expect(node.sent).toHaveLength(2);
  expect(node.checks).toBe(2);
});
