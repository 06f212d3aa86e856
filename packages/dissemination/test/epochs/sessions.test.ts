/** Credentials over the end of an epoch: a chunk's are judged by its epoch (D3), a pool's by the current one. */
import {
  asId,
  authorityMessage,
  type BlockId,
  type Certify,
  decodeTransaction,
  type Epoch,
  epoch,
  grantOutput,
  height,
  hexOf,
  makeCredential,
  merkleRoot,
  NO_RECORD,
  NO_UNITS,
  type Receipt,
  receiptCodec,
  type StateDigest,
  stateDigestOf,
  subjectMessage,
  type Transaction,
  type TransactionId,
  transactionCodec,
  view,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { byCredential, person, sessionOf, type TestChain } from '../../../execution/test/session-world.ts';
import { chunk, frameOf } from '../harness/chunks.ts';
import {
  accountSignature,
  createTestNetwork,
  FULL_NODE,
  fakeAggregate,
  GENESIS_HASH,
  type Node,
  peerKey,
  type TestNetwork,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { certify, submit } from '../harness/steps.ts';
import { headersBy, moveAll, NODES } from '../harness/two-epochs.ts';

const COMMITTEES = [
  [0, 1, 2, 3],
  [1, 2, 3, 4],
  [2, 3, 4, 0],
  [3, 4, 0, 1],
];
const CHAIN = { genesisHash: GENESIS_HASH } as TestChain;
const ZERO = new Uint8Array(32);
const OVER = 'session-committee-expired';
let named = 0;

/** By a session of this chain, which the committee of an epoch certified. */
function sessionUse(certifiedIn: Epoch): Uint8Array {
  const session = sessionOf(CHAIN, CHAIN, person('alice'), { key: `session ${++named}`, expiryMs: START_MS + 60_000 });
  const receipt: Receipt = {
    transactionId: asId<TransactionId>(ZERO),
    height: height(1),
    index: 0,
    outcome: { status: 'success' },
    output: grantOutput(session.grantId),
    fee: 0n,
    units: NO_UNITS,
  };
  const preimage = {
    height: height(1),
    blockId: asId<BlockId>(ZERO),
    parentDigest: asId<StateDigest>(ZERO),
    batchChecksum: ZERO,
    stateRoot: ZERO,
    receiptsRoot: merkleRoot([receiptCodec.encode(receipt)]),
    transactionCount: 1,
    next: NO_RECORD,
  };
  const stateDigest = stateDigestOf(GENESIS_HASH, preimage);
  const at = { epoch: certifiedIn, view: view(1), height: height(1), blockId: preimage.blockId };
  const subject: Certify = { kind: 'certify', ...at, stateDigest };
  const aggregate = fakeAggregate(subjectMessage(GENESIS_HASH, subject));
  const certificate = { subject, signers: [0, 1, 2], aggregate };
  const made = makeCredential(session.grant, { receipt, path: [], preimages: [preimage], certificate }, undefined);
  if (!made.ok) throw new Error(made.error);
  const actions = [{ kind: 'setData', name: 'n', value: new Uint8Array(1) } as const];
  const { id, transaction } = byCredential(CHAIN, session, made.value, { actions, expiryMs: START_MS + 30_000 });
  const { body, auth } = transaction as Transaction;
  const signature = accountSignature(session.grant.sessionKey, authorityMessage(id, auth));
  return transactionCodec.encode({ body, auth: { ...auth, signature } });
}

async function inEpoch(number: number): Promise<TestNetwork> {
  const network = createTestNetwork({ committees: COMMITTEES });
  for (let at = 0; at < number; at++) await moveAll(network);
  return network;
}

const idOf = (bytes: Uint8Array) => hexOf(decodeTransaction(bytes).id);
const dropsOf = ({ dissemination }: Node) => dissemination.stats().drops;

describe('a transaction with a credential in the pool', () => {
  it('enters it when the credential is of this epoch or the last', async () => {
    const network = await inEpoch(2);
    const { dissemination } = network.node(3);
    const results = [0, 1, 2, 3].map((of) => dissemination.submit(sessionUse(epoch(of))));
    await network.pass(2);
    const reasons = (await Promise.all(results)).map((result) => (result.type === 'rejected' ? result.reason : 'good'));
    expect(reasons).toEqual([OVER, 'good', 'good', OVER]);
  });

  it('is dropped at the move that ends the credential, so that no chunk of the new epoch has it', async () => {
    const network = await inEpoch(1);
    for (const number of NODES) network.lose(FULL_NODE, peerKey(number));
    const [old, young] = [sessionUse(epoch(0)), sessionUse(epoch(1))];
    const { fullNode } = network;
    await submit(network, fullNode, old, young);
    await moveAll(network);
    expect(fullNode.dissemination.stats().pool.transactions).toBe(1);
    expect(dropsOf(fullNode)).toMatchObject({ [OVER]: 1 });
    expect(fullNode.dissemination.status(idOf(old))).toMatchObject({ reason: OVER });
    network.heal();
    await network.pass(3_000);
    for (const number of NODES) expect(network.node(number).offences).toEqual([]);
  });

  it('stays while a chunk of the old epoch has it, which may yet execute', async () => {
    const network = await inEpoch(1);
    const bytes = sessionUse(epoch(0));
    await submit(network, network.node(2), bytes);
    await certify(network);
    const packer = [1, 2, 3, 4].find((number) => headersBy(network.node(number)).length > 0) as number;
    await moveAll(network);
    expect(network.node(packer).dissemination.stats().pool.transactions).toBe(1);
    expect(network.node(packer).dissemination.stats().ready).toBe(0);
  });

  it('is not packed again when that chunk is abandoned', async () => {
    const network = await inEpoch(1);
    for (const other of [0, 1, 3, 4]) network.cut(peerKey(2), peerKey(other));
    network.cut(peerKey(2), FULL_NODE);
    const [old, young] = [sessionUse(epoch(0)), sessionUse(epoch(1))];
    await submit(network, network.node(2), old, young);
    await network.pass(3_000);
    const packed = () => headersBy(network.node(2)).map((header) => [header.epoch, header.transactionCount]);
    expect(packed()).toEqual([[1, 2]]);
    await moveAll(network);
    await network.pass(3_000);
    expect(packed()).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('blames no peer that is in another epoch', async () => {
    const network = await inEpoch(1);
    for (const number of NODES) network.node(number).seal();
    for (const number of NODES) network.node(number).move();
    await submit(network, network.fullNode, sessionUse(epoch(0)));
    await network.pass(500);
    const others = NODES.map((number) => network.node(number));
    expect(others.flatMap(({ offences }) => offences)).toEqual([]);
    expect(others.some((node) => dropsOf(node)[OVER] !== undefined)).toBe(true);
    expect(others.map(({ dissemination }) => dissemination.stats().pool.transactions)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('a credential in a chunk', () => {
  /** By index 1 of the next epoch's committee, on a node that has not moved yet. */
  async function early(certifiedIn: number): Promise<Node> {
    const network = await inEpoch(1);
    const node = network.node(4);
    node.seal();
    const sent = chunk([sessionUse(epoch(certifiedIn))], { epoch: epoch(2), producer: 1 });
    void node.dissemination.onChunk(peerKey(3), frameOf(sent));
    await network.pass();
    return node;
  }

  it('is judged by the epoch of the chunk, also before this node is there', async () => {
    for (const certifiedIn of [1, 2]) {
      const node = await early(certifiedIn);
      expect(node.dissemination.stats().sessions.checked).toBe(1);
      expect(node.offences).toEqual([]);
    }
    const { offences } = await early(0);
    expect(offences.map(({ peer, reason }) => [peer, reason])).toEqual([[peerKey(3), 'invalid-chunk']]);
  });
});
