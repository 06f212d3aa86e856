/**
 * Payloads by the real dissemination. The execution result depends on the verdict on each transaction (D3).
 *
 *   client --submit--> dissemination --chunks, acks, certificates--> others
 *   block --> payloadOf --> verdicts --> digest           committed --> ledger: chunk bytes, and chunks to drop
 */
import {
  type AckMode,
  type BlockOutcome,
  createDissemination,
  createHedgedFetch,
  type Dissemination,
} from '@slipstream/dissemination';
import { compress, decompress } from '@slipstream/network/compression';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import { EPOCH_MS } from '@slipstream/simulator';
import {
  type Block,
  type BlockId,
  type ChunkId,
  chunkBodyCodec,
  decodeTransaction,
  type Genesis,
  hexOf,
  NO_UNITS,
  OPERATORS_DECIDE,
  signedChunkCodec,
  type Units,
} from '@slipstream/types';
import { genesisEpochs } from '../../../packages/dissemination/test/harness/genesis-epochs.ts';
import { genesisMember, TEST_TIMES } from '../../../packages/types/test/genesis-member.ts';
import { checkAccounts, transactionBytes, unitsOf } from './accounts.ts';
import type { SimulatedChain } from './committee.ts';
import { chunkKey, type OpenPayloads, type PayloadSurroundings, type PayloadsOfNode, putsOf } from './payloads.ts';

export interface ExecutedBlock {
  readonly blockId: string;
  /** In order: serialized chunks in hex, verdicts on their transactions. */
  readonly chunks: readonly { readonly hex: string; readonly verdicts: readonly boolean[] }[];
}

export interface CommittedBlock {
  readonly blockId: string;
  readonly timestampMs: number;
  readonly chunks: readonly string[];
}

export interface ClientOptions {
  /** Mean, at each validator; clients stop at `untilMs`. */
  readonly everyMs: number;
  readonly untilMs: number;
  /** Default: 400. */
  readonly dataBytesMax?: number;
  /** Default: on-demand. `mixed`: the last member's chunks always ask. */
  readonly acks?: AckMode | 'mixed';
}

export const BLOCK_UNITS: Units = [4_000_000, 100_000, 100_000, 1_000_000, 100_000];
/** Small, so that floods reach them. */
export const LIMITS = {
  producerBytesMax: 256 * 1024,
  poolTransactionsMax: 2_000,
  retainedBytesMax: 1024 * 1024,
};

const ACCOUNTS = 24;
const LIFE_MS = 50_000;
const HASH_KEY_BYTES = 8;

function genesisOf({ committee, genesis }: SimulatedChain): Genesis {
  const free = [0n, 0n, 0n, 0n, 0n];
  return {
    chain: 'simulated',
    timestampMs: genesis.timestampMs,
    development: true,
    members: committee.members.map((member) => genesisMember(member.index, member)),
    allocations: [],
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees: { initialPrices: free, minimumPrices: free, targets: NO_UNITS, limits: BLOCK_UNITS, windowBlocks: 100 },
    times: TEST_TIMES,
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [],
    leaderReputation: false,
    governance: OPERATORS_DECIDE,
  };
}

export function disseminating(clients: ClientOptions): OpenPayloads {
  return async (surroundings) => {
    const { ledger, committedBlocks, restored, world, self } = surroundings;
    const dissemination = open(surroundings, clients);
    const finalMs = committedBlocks[0]?.block.timestampMs ?? 0;
    for (const { kind, payload, sequence } of restored) {
      if (kind === 'chunk') dissemination.restoreChunk(payload, sequence, finalMs);
      else dissemination.restoreOwnHeader(payload, sequence, finalMs);
    }
    for (const { blockId, block } of committedBlocks) {
      const executedIds: string[] = [];
      for (const { chunkId } of block.payload) executedIds.push(...idsIn(await ledger.get(chunkKey(chunkId))));
      dissemination.committed(blockId, block, { executedIds, skipped: [] });
    }
    dissemination.restored();
    if (self !== undefined) submitFor(surroundings, dissemination, clients);
    world.lifetime.onEnd(() => dissemination.stop());
    return payloadsBy(surroundings, dissemination);
  };
}

/** Of the transactions in a serialized chunk. */
export function idsIn(bytes: Uint8Array | undefined): readonly string[] {
  return bodyIn(bytes).transactions.map((transaction) => hexOf(decodeTransaction(transaction).id));
}

/** Wire forms of those in a serialized chunk. */
export function batchesIn(bytes: Uint8Array | undefined): readonly Uint8Array[] {
  return bodyIn(bytes).batches;
}

function bodyIn(bytes: Uint8Array | undefined) {
  const chunk = bytes && signedChunkCodec.decode(bytes);
  const body = chunk?.ok ? chunkBodyCodec.decode(chunk.value.body) : undefined;
  return body?.ok ? body.value : { transactions: [], batches: [] };
}

function open(surroundings: PayloadSurroundings, { acks }: ClientOptions): Dissemination {
  const { world, chain, self, signer, verifier, ledger, wal, signState } = surroundings;
  const consensus = () => surroundings.connected()?.consensus;
  const sync = () => surroundings.connected()?.sync;
  return createDissemination(
    {
      wal,
      transport: world.transport,
      clock: world.clock,
      telemetry: world.telemetry,
      verifier: { ...verifier, checkAccounts },
      epochs: genesisEpochs(genesisOf(chain), self),
      signerOf: () => (self === undefined ? undefined : signer),
      rules: { unitsOf, feeOf: () => 0n },
      reports: {
        offence: (peer, reason, detail) => consensus()?.offence(peer, reason, detail),
        equivocation({ offender, peer, first }) {
          world.telemetry.event('evidence', { kind: 'chunks', offender, view: 0 });
          consensus()?.offence(peer, 'invalid-chunk', `two chunks of sequence ${first.header.sequence}`);
        },
        stored: (producer, frame) => sync()?.relayChunk(producer, frame),
        failed: (cause) => world.exit(String(cause)),
        pendingChanged: () => consensus()?.pendingChanged(),
      },
      loadChunk: (id) => ledger.get(chunkKey(id)),
      fetchChunk: createHedgedFetch({
        transport: world.transport,
        clock: world.clock,
        random: world.random,
        ask: async (peer, id, signal) => (await sync()?.ask(peer, { query: 'chunk', id }, signal))?.chunks[0],
      }),
      compression: { compress, decompress },
      reserveSequence: (chunkSequence) => signState.reserve({ chunkSequence, logSequence: wal.durableSequence }),
    },
    {
      genesis: genesisOf(chain),
      genesisHash: chain.genesisHash,
      firstSequence: signState.chunkMark + 1,
      hashKey: new Uint8Array(HASH_KEY_BYTES),
      acks: acks === 'mixed' ? ackModeOf(chain, self) : acks,
      limits: LIMITS,
    },
  );
}

function ackModeOf({ committee }: SimulatedChain, self: number | undefined): AckMode {
  return self === committee.members.length - 1 ? 'always' : 'on-demand';
}

function submitFor(
  { world, chain }: PayloadSurroundings,
  dissemination: Dissemination,
  { everyMs, untilMs, dataBytesMax = 400 }: ClientOptions,
): void {
  const { clock, telemetry, lifetime } = world;
  const random = world.random.fork('clients');

  function submit(): void {
    const nowMs = clock.wallMs();
    if (!lifetime.alive || nowMs - EPOCH_MS > untilMs) return;
    const form = {
      account: random.below(ACCOUNTS),
      salt: random.bytes(HASH_KEY_BYTES),
      data: random.bytes(random.below(dataBytesMax)),
    };
    const bytes = transactionBytes({ ...form, genesisHash: chain.genesisHash, expiryMs: nowMs + LIFE_MS });
    void dissemination.submit(bytes).then(({ type }) => {
      if (type === 'accepted') telemetry.event('transaction.accepted', { id: hexOf(decodeTransaction(bytes).id) });
    });
    clock.after(2 * everyMs * random.unit(), submit);
  }

  clock.after(everyMs * random.unit(), submit);
}

function payloadsBy({ ledger, world }: PayloadSurroundings, dissemination: Dissemination): PayloadsOfNode {
  const abort = new AbortController();
  const outcomes = new Map<
    string,
    { readonly content: Promise<Uint8Array>; readonly outcome: Promise<BlockOutcome> }
  >();
  world.lifetime.onEnd(() => abort.abort());

  async function judge(blockId: BlockId, block: Block): Promise<readonly string[]> {
    const chunks = await dissemination.payloadOf(blockId, block, abort.signal);
    const verdicts = chunks.map((chunk) => chunk.verdicts.map((verdict) => verdict === 'good'));
    const executed: ExecutedBlock = {
      blockId: hexOf(blockId),
      chunks: chunks.map(({ bytes }, at) => ({ hex: toHex(bytes), verdicts: verdicts[at] ?? [] })),
    };
    world.telemetry.event('block.executed', { ...executed });
    return chunks.flatMap(({ ids }, at) => ids.map((hex, i) => `${hex} ${verdicts[at]?.[i]}`));
  }

  function outcomeOf(blockId: BlockId, block: Block) {
    const key = hexOf(blockId);
    const known = outcomes.get(key);
    if (known) return known;
    const judged = judge(blockId, block);
    judged.catch(() => {});
    const content = judged.then((texts) => sha256(utf8(texts.join())));
    const outcome = judged.then((texts) => ({
      executedIds: texts.filter((text) => text.endsWith('true')).map((text) => text.slice(0, 64)),
      skipped: [],
    }));
    content.catch(() => {});
    outcome.catch(() => {});
    const made = { content, outcome };
    outcomes.set(key, made);
    return made;
  }

  const get = async (id: ChunkId) => (await dissemination.chunkById(id)) ?? (await ledger.get(chunkKey(id)));

  return {
    build: (request) => dissemination.buildPayload(request),
    check: (blockId, block, signal) => dissemination.checkPayload(blockId, block, signal),
    content: (blockId, block) => outcomeOf(blockId, block).content,
    hasPending: () => dissemination.hasPending(),
    onFrame(from, name, frame) {
      if (name === 'transactions') void dissemination.onTransactions(from, frame);
      else if (name === 'chunk') void dissemination.onChunk(from, frame).catch((error) => world.exit(String(error)));
      else if (name === 'chunkAck') dissemination.onChunkAck(from, frame);
      else if (name === 'chunkCertified') void dissemination.onChunkCertified(from, frame);
    },
    get,
    commitOf: (block) => putsOf(block, get),
    committed(blockId, block) {
      const { outcome } = outcomeOf(blockId, block);
      outcomes.delete(hexOf(blockId));
      void outcome.then((known) => {
        if (!world.lifetime.alive) return;
        const committed: CommittedBlock = {
          blockId: hexOf(blockId),
          timestampMs: block.timestampMs,
          chunks: block.payload.map(({ chunkId }) => hexOf(chunkId)),
        };
        world.telemetry.event('block.in-ledger', { ...committed });
        dissemination.committed(blockId, block, known);
      });
    },
    has: ({ payload }) => payload.every(({ chunkId }) => dissemination.idsOf(chunkId).length > 0),
    holds: (id) => dissemination.idsOf(id).length > 0,
    retainedBytes: () => dissemination.stats().chunks.pendingBytes,
    get logFloor() {
      return dissemination.logFloor() ?? Number.POSITIVE_INFINITY;
    },
  };
}
