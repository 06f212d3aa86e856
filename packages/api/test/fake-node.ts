/** An in-memory chain that finalizes what it receives; a test can override its behaviour. */
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual, to0x } from '@slipstream/primitives';
import type { DrainState, LogLevelName, Peer, QuarantineView, Status } from '@slipstream/schema';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type DirectoryProof,
  ed25519Account,
  GENESIS_EPOCH,
  type Genesis,
  genesisBlock,
  genesisHashOf,
  type Height,
  height,
  hexOf,
  NO_RECORD,
  type Receipt,
  readAccountValue,
  type StateDigest,
  stateKeyOfAccount,
  stateKeyOfData,
  stateKeyOfSession,
  stateKeyOfValidator,
  type TransactionId,
  transactionCodec,
  transactionIdOf,
  type ValidatorId,
  view,
} from '@slipstream/types';
import { AT as PROVEN_AT, proofOf } from '../../client/test/proven-state.ts';
import { proveReceipt, receiptsOf, genesis as testGenesis } from '../../client/test/real-chain.ts';
import type { BlockRecord, EventHub, Lookup, NodeBackend, SubmitOutcome, TransactionRecord } from '../src/index.ts';
import { FAKE_BATCHES, fakeRow, fakeRowProof } from './fake-batches.ts';
import { fakeEpochs } from './fake-epochs.ts';

const BLOCK = asId<BlockId>(new Uint8Array(32).fill(1));
const DIGEST = asId<StateDigest>(new Uint8Array(32).fill(2));
/** Of the form only: clients' tests have true ones. */
const DIRECTORY_PROOF: DirectoryProof = {
  index: 3,
  entry: { account: ed25519Account(new Uint8Array(32).fill(4)), blsKey: new Uint8Array(96).fill(5) },
  path: [new Uint8Array(32).fill(6)],
  preimages: [
    {
      height: height(1),
      blockId: BLOCK,
      parentDigest: DIGEST,
      batchChecksum: BLOCK,
      stateRoot: BLOCK,
      receiptsRoot: BLOCK,
      transactionCount: 1,
      next: NO_RECORD,
      distilled: { batchesRoot: BLOCK, batches: 0, directoryRoot: BLOCK, directorySize: 4 },
    },
  ],
  certificate: {
    subject: {
      kind: 'certify',
      epoch: GENESIS_EPOCH,
      view: view(1),
      height: height(1),
      blockId: BLOCK,
      stateDigest: DIGEST,
    },
    signers: [0],
    aggregate: new Uint8Array(96),
  },
};

export interface FakeNode extends NodeBackend {
  /** A block with all pending transactions. */
  commit(): void;
  readonly blockedPeers: Set<string>;
}

export const ARTIFACT = `0x${'ab'.repeat(32)}` as const;
/** Its lock file was changed by hand. */
export const REFUSED_ARTIFACT = `0x${'cd'.repeat(32)}` as const;
export const PEER = `0x${'11'.repeat(32)}`;
const FAUCET_AMOUNT = 1_000n;

const notThere = () => Promise.reject(new Error('this chain has no applications'));

export function createFakeNode(
  events: EventHub,
  overrides: Partial<NodeBackend> = {},
  genesis: Genesis = testGenesis,
): FakeNode {
  const genesisHash = genesisHashOf(genesis);
  const records = new Map<string, TransactionRecord>();
  const first = recordOf(genesisBlock(genesisHash, genesis.timestampMs), 0);
  const blocks: BlockRecord[] = [{ ...first, batchCount: 1 }];
  const receipts = new Map<number, readonly Receipt[]>();
  const blockedPeers = new Set<string>();
  const waiters = new Set<() => void>();
  let salt = 0;
  let level: LogLevelName = 'info';
  let drainState: DrainState = { draining: false, sinceMs: null, pending: 0, stops: false, deadlineMs: null };

  function commit(): void {
    const pending = [...records.values()].filter(({ status }) => status === 'pending');
    const parent = (blocks[blocks.length - 1] as BlockRecord).block;
    const at = parent.height + 1;
    const block: Block = {
      ...parent,
      view: view(at),
      height: height(at),
      parentId: blockIdOf(parent),
      parentView: parent.view,
      timestampMs: parent.timestampMs + 1_000,
    };
    blocks.push(recordOf(block, pending.length));
    const made = receiptsOf(
      pending.map(({ id }) => id),
      at,
    );
    receipts.set(at, made);
    for (const receipt of made) {
      const record = records.get(hexOf(receipt.transactionId)) as TransactionRecord;
      records.set(hexOf(record.id), { ...record, status: 'final', height: receipt.height, receipt });
    }
    for (const wake of [...waiters]) wake();
    events.publish('block.final', {
      height: at,
      view: at,
      blockId: to0x(blockIdOf(block)),
      proposer: 0,
      timestampMs: block.timestampMs,
    });
  }

  const quarantined: QuarantineView[] = [];
  const lookUp = (id: TransactionId): Lookup<TransactionRecord> => {
    const value = records.get(hexOf(id)) ?? fakeRow(id);
    return value ? { type: 'found', value } : { type: 'unknown' };
  };

  function findBlock(reference: Parameters<NodeBackend['block']>[0]): Lookup<BlockRecord> {
    const value = blocks.find(({ block }, i) => {
      if (reference.type === 'latest') return i === blocks.length - 1;
      return reference.type === 'height'
        ? block.height === reference.height
        : bytesEqual(blockIdOf(block), reference.id);
    });
    return value ? { type: 'found', value } : { type: 'unknown' };
  }

  async function submit(bytes: Uint8Array): Promise<SubmitOutcome> {
    const decoded = transactionCodec.decode(bytes);
    if (!decoded.ok) return { type: 'malformed', detail: decoded.error.message };
    const { body } = decoded.value;
    if (!bytesEqual(body.genesisHash, genesisHash)) {
      return { type: 'invalid', reason: 'wrong-genesis', detail: 'the transaction is for another chain' };
    }
    const id = transactionIdOf(body);
    const known = records.get(hexOf(id));
    if (known) return { type: 'accepted', id, status: known.status };
    records.set(hexOf(id), { id, status: 'pending', expiryMs: body.expiryMs, transaction: decoded.value });
    return { type: 'accepted', id, status: 'pending', expiryMs: body.expiryMs };
  }

  return {
    genesis,
    applications: {
      inEpoch: async () => [],
      entry: notThere,
      entries: notThere,
      converted: notThere,
      query: notThere,
      events: notThere,
    },
    events,
    commit,
    blockedPeers,
    height: () => blocks.length - 1,
    epoch: () => 0,
    handovers: async () => [],
    root: undefined,
    status: async () => statusOf(genesis, blocks.length - 1),
    peers: async () => [peerOf(blockedPeers)],

    submit,
    submitMany: (transactions) => Promise.all(transactions.map(submit)),
    transaction: async (id) => lookUp(id),
    waitFor: (id, _stages, signal) =>
      new Promise((resolve) => {
        const wake = () => {
          const found = lookUp(id);
          if (found.type === 'found' && found.value.status === 'pending' && !signal.aborted) return;
          waiters.delete(wake);
          resolve(found);
        };
        waiters.add(wake);
        signal.addEventListener('abort', wake);
        wake();
      }),
    async proof(id) {
      const found = lookUp(id);
      if (found.type !== 'found') return found;
      const { receipt, row } = found.value;
      if (row !== undefined) return { type: 'row', value: fakeRowProof(row.position) };
      if (receipt === undefined) return { type: 'not-ready' };
      return { type: 'found', value: proveReceipt(receipts.get(receipt.height) ?? [], receipt.index) };
    },
    async faucet(_account, amount = FAUCET_AMOUNT) {
      const id = asId<TransactionId>(new Uint8Array(32).fill(++salt));
      if (amount > FAUCET_AMOUNT)
        return { type: 'invalid', reason: 'insufficient-balance', detail: 'more than the faucet pays' };
      records.set(hexOf(id), { id, status: 'pending' });
      return { type: 'accepted', id, status: 'pending' };
    },

    directoryEntry: async (of) => {
      if (of === 5) return { type: 'not-ready' };
      return of === 4 ? { type: 'unknown' } : { type: 'found', value: DIRECTORY_PROOF };
    },
    proven: {
      keys: async (keys) => ({ type: 'proven', value: undefined, proof: proofOf(keys) }),
      account: async (key) => {
        const proof = proofOf([stateKeyOfAccount(key)]);
        const read = readAccountValue(proof.entries[0]?.value);
        if (!read.ok) throw new Error(read.error);
        const exists = proof.entries[0]?.value !== undefined;
        return { type: 'proven', value: { ...read.value, exists, height: height(PROVEN_AT) }, proof };
      },
      accountData: async (key, name) => {
        const proof = proofOf([stateKeyOfData(key, name)]);
        const value = proof.entries[0]?.value;
        return { type: 'proven', value: value && { value, height: height(PROVEN_AT) }, proof };
      },
      session: async (id) => ({ type: 'proven', value: undefined, proof: proofOf([stateKeyOfSession(id)]) }),
      validator: async (id) => ({
        type: 'proven',
        value: undefined,
        proof: proofOf([stateKeyOfValidator(id as ValidatorId)]),
      }),
    },
    accounts: async (keys) =>
      keys.map((_, i) => ({
        balance: 5n + BigInt(i),
        exists: true,
        registration: { index: 3 + i, last: 0 },
        height: height(blocks.length - 1),
      })),
    accountData: async (_key, name) =>
      name === 'size'
        ? { type: 'unknown' }
        : { type: 'found', value: { value: new Uint8Array([1]), height: height(1) } },
    accountTransactions: async () => ({ items: [], next: undefined }),
    block: async (reference) => findBlock(reference),
    async blocks({ cursor, limit }) {
      const from = cursor === undefined ? blocks.length - 1 : Number(cursor);
      const items = blocks.slice(Math.max(0, from - limit + 1), from + 1).reverse();
      return { items, next: from - limit >= 0 ? String(from - limit) : undefined };
    },
    async blockTransactions(reference) {
      const found = findBlock(reference);
      return found.type === 'found' ? { type: 'found', value: { items: [], next: undefined } } : found;
    },
    ...FAKE_BATCHES,
    async blockOutcomes(reference) {
      const found = findBlock(reference);
      if (found.type !== 'found') return found;
      const { block } = found.value;
      return {
        type: 'found',
        value: { height: block.height, blockId: blockIdOf(block), success: [new Uint8Array(32).fill(7)], failed: [] },
      };
    },
    certificates: async (at: Height) => (at === 0 ? { type: 'pruned' } : { type: 'unknown' }),
    epochs: fakeEpochs(genesis),
    fees: async () => ({
      height: height(0),
      prices: [0n, 0n, 0n, 0n, 0n],
      parameters: genesis.fees,
      windowEndsAt: height(100),
    }),
    identity: async (anchor) => ({ devices: [anchor], height: height(blocks.length - 1) }),
    session: async () => ({ type: 'unknown' }),
    credential: async () => ({ type: 'unknown' }),
    evidence: async () => ({ items: [], next: undefined }),

    async blockPeer(peer: PeerKey) {
      if (`0x${peer}` !== PEER) return { type: 'unknown' };
      if (blockedPeers.has(peer)) return { type: 'refused', detail: 'it is blocked already' };
      blockedPeers.add(peer);
      return { type: 'done' };
    },
    async unblockPeer(peer: PeerKey) {
      return blockedPeers.delete(peer) ? { type: 'done' } : { type: 'unknown' };
    },
    artifacts: async () => [
      { hash: ARTIFACT, state: 'fetched', namedBy: 'proposal', name: 'token', version: 2, bytes: 3 },
    ],
    quarantine: async () => quarantined,
    async quarantineAction(application, name) {
      if (application !== 'token' || name !== 'mint') return { type: 'unknown' };
      quarantined.push({ application, action: 1, name, by: 'operator', sinceMs: 1 });
      return { type: 'done' };
    },
    async liftQuarantine() {
      return quarantined.splice(0).length > 0 ? { type: 'done' } : { type: 'unknown' };
    },
    async acceptArtifact(hash) {
      if (to0x(hash) === REFUSED_ARTIFACT) return { type: 'refused', detail: 'table balances has number 9, and had 0' };
      if (to0x(hash) !== ARTIFACT) return { type: 'unknown' };
      return { type: 'accepted', name: 'token', version: 2, differences: ['+ query changes'] };
    },
    operation: {
      logLevel: async () => level,
      setLogLevel: async (next) => {
        level = next;
      },
      drainState: async () => drainState,
      drain: async ({ stop, deadlineMs }) => {
        drainState = { draining: true, sinceMs: 1, pending: 0, stops: stop, deadlineMs: stop ? deadlineMs : null };
        return drainState;
      },
      undrain: async () => {
        drainState = { ...drainState, draining: false, sinceMs: null };
        return drainState;
      },
    },
    ...overrides,
  };
}

function recordOf(block: Block, transactionCount: number): BlockRecord {
  const stateDigest = asId<StateDigest>(asId<BlockId>(blockIdOf(block)).slice());
  return { block, status: 'final', transactionCount, stateDigest, receiptsRoot: new Uint8Array(32), times: {} };
}

export function statusOf(genesis: Genesis, at: number): Status {
  return {
    chain: genesis.chain,
    genesisHash: to0x(genesisHashOf(genesis)),
    development: genesis.development,
    faucet: true,
    version: '0.1.0',
    node: { peer: PEER, name: 'fake', role: 'validator', validator: 0 },
    epoch: 0,
    view: at,
    height: at,
    finalHeight: at,
    certifiedHeight: at,
    headTimestampMs: genesis.timestampMs,
    syncing: false,
    ready: true,
    signing: { state: 'signing' },
    uptimeMs: 1,
    peers: { connected: 1, validators: 1, blocked: 0 },
    mempool: { transactions: 0, bytes: 0 },
    alerts: [],
  };
}

function peerOf(blockedPeers: ReadonlySet<string>): Peer {
  const blocked = blockedPeers.has(PEER.slice(2));
  return {
    peer: PEER,
    validator: 1,
    role: 'validator',
    connected: !blocked,
    address: null,
    roundTripMs: 1.5,
    bytesIn: 0,
    bytesOut: 0,
    framesDropped: 0,
    queuedBytes: 0,
    blocked: blocked ? { reason: 'operator', atMs: 1, by: 'operator' } : null,
  };
}
