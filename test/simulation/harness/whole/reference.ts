/**
 * A node that is given the final chain alone: block by block, in order, without crashes, rivals and state sync, and with every artifact. The disks
 * of all others must be its disk at their height, byte for byte. So what holds of applications after each of its blocks holds on each of them.
 */
import type { ReadState } from '@slipstream/execution';
import { createPipeline, treeOfStore } from '@slipstream/pipeline';
import { type Clock, silentTelemetry } from '@slipstream/ports';
import { assert, concatBytes, toHex } from '@slipstream/primitives';
import { createRandom, createSimDisk, createSimKeyValue } from '@slipstream/simulator';
import type { StateStore } from '@slipstream/state';
import {
  type Block,
  chunkBodyCodec,
  decodeTransaction,
  hexOf,
  type Receipt,
  signedChunkCodec,
} from '@slipstream/types';
import { createChunkProvider } from '../../../../apps/node/src/executor/chunk-provider.ts';
import { packBatches, type SuppliedChunk, verdictByte } from '../../../../apps/node/src/executor/wire.ts';
import { isSigned } from '../accounts.ts';
import type { Cluster } from '../cluster.ts';
import { slowTree } from '../executing.ts';
import { logsOf } from '../reference.ts';
import { openApplications } from './applications.ts';
import { simulatedFolder } from './folder.ts';
import type { WholeRecord } from './record.ts';
import { genesisOf, HASH_KEY, NO_ROOM, type OpenedStores, openStores } from './stores.ts';

export interface ReferenceBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  /** Members whose votes are in its certificates. */
  readonly signers: readonly number[];
  /** The state after it. */
  readonly read: ReadState;
}

/** Time stands still; actions run at the next tick. */
const clock: Clock = {
  wallMs: () => 0,
  monotonicMs: () => 0,
  after(_, action) {
    const timer = setImmediate(action);
    return () => clearImmediate(timer);
  },
};

/** Number of the node that executes the final chain: no other has it. */
export const EVERY_ARTIFACT = -1;

const OPENED_WITHIN_MS = 60_000;
const VOTE = { signers: [], aggregate: new Uint8Array(96) };

interface FoundState {
  readonly index: number;
  readonly height: number;
  readonly checksum: string;
  readonly entries: string;
}

/**
 * Cuts the power of all nodes and compares their disks. `whole`: a node that executed every block itself. `synced`: those that took over a state,
 * whose files have other places; their entries are compared. Throws.
 */
export async function compareWithReference(
  cluster: Cluster,
  record: WholeRecord,
  indices: readonly number[],
  check: (after: ReferenceBlock) => void,
): Promise<void> {
  const { node, peer } = cluster;
  const synced = new Set(record.joins.map((join) => join.peer));
  for (const index of indices) node(index).crash('lose-none');
  const opened = await inTime(cluster, Promise.all(indices.map((index) => openDisk(cluster, index))));
  const whole = opened[indices.findIndex((index) => !synced.has(peer(index)))];
  assert(whole !== undefined, 'a node executed every block itself');
  const found = opened.map(({ state }, i) => foundIn(record, state, indices[i] as number));
  const reference = await createReference(cluster, whole, check);
  for (const { index, height, checksum, entries } of found.sort((a, b) => a.height - b.height)) {
    const expected = await reference.at(height);
    assert(checksum === toHex(expected.tip.checksum), `P2: ${index} holds another state at height ${height}`);
    assert(entries === entriesOf(expected), `P2: ${index} holds other entries at height ${height}`);
    if (synced.has(peer(index))) continue;
    const [logs, right] = [logsOf(node(index).disk), reference.logs()];
    const same = logs.size === right.size && [...right].every(([name, bytes]) => logs.get(name) === bytes);
    assert(same, `V1, P3: ${index} has other log files at height ${height}`);
  }
}

async function openDisk({ chain, node }: Cluster, index: number): Promise<OpenedStores> {
  const { disk, store } = node(index);
  const mounted = disk.mount();
  const folder = simulatedFolder({ disk: mounted, keyValue: (name) => store(name).mount(), incarnation: -1 });
  const { applications } = openApplications(chain.applications, []);
  return openStores({ disk: mounted, random: createRandom('opened after the run') }, folder, chain, applications);
}

/** Disks take virtual time. */
async function inTime<T>({ until }: Cluster, opening: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  opening.then(settle, settle);
  await until('all stores are open', () => isSettled, OPENED_WITHIN_MS);
  return opening;
}

function foundIn(record: WholeRecord, state: StateStore, index: number): FoundState {
  const { block, checksum } = state.tip;
  const height = [...record.blocks].find(([, { blockId }]) => hexOf(blockId) === block)?.[0];
  assert(height !== undefined, `P1: ${index} holds the state after ${block.slice(0, 8)}, which is not final`);
  return { index, height, checksum: toHex(checksum), entries: entriesOf(state) };
}

const entriesOf = (state: StateStore): string =>
  state
    .entries(undefined, Number.POSITIVE_INFINITY)
    .map(({ key, value }) => `${toHex(key)} ${toHex(value)}`)
    .join('\n');

async function createReference(
  { chain }: Cluster,
  { ledger, chunks }: OpenedStores,
  check: (after: ReferenceBlock) => void,
) {
  const random = createRandom('reference');
  const disk = createSimDisk({ random });
  const stores = new Map<string, ReturnType<typeof createSimKeyValue>>();
  function keyValue(name: string) {
    const store = stores.get(name) ?? createSimKeyValue({ random });
    stores.set(name, store);
    return store.mount();
  }
  const accepted = chain.applications?.acceptedBy(EVERY_ARTIFACT) ?? [];
  const { applications } = openApplications(chain.applications, accepted);
  const mounted = disk.mount();
  const folder = simulatedFolder({ disk: mounted, keyValue, incarnation: 0 });
  const own = await openStores({ disk: mounted, random }, folder, chain, applications, NO_ROOM);
  const { chunksOf } = createChunkProvider({
    request: async (_, { payload }) =>
      Promise.all(payload.map(async ({ chunkId }) => suppliedFrom(await chunks.get(chunkId)))),
    chunks: { put: async () => {} },
  });
  const { genesisHash } = chain;
  const pipeline = await createPipeline(
    {
      ...own,
      tree: await treeOfStore(own.state, slowTree(clock)),
      clock,
      telemetry: silentTelemetry,
      chunksOf,
      keepChunks: async () => {},
      applications,
    },
    { genesis: genesisOf(chain), genesisHash, mode: 'sequential', hashKey: HASH_KEY },
  );
  let height = 0;
  let committed: ((receipts: readonly Receipt[]) => void) | undefined;
  pipeline.onCommitted(({ receipts }) => committed?.(receipts));
  pipeline.onHalted((halt) => {
    throw new Error(`the reference halted: ${halt.type === 'failed' ? String(halt.error) : halt.type}`);
  });
  pipeline.start();

  async function execute(at: number): Promise<void> {
    const found = await ledger.block({ height: at });
    assert(found !== undefined, `N5: a node has the block of height ${at}`);
    const { blockId, block } = found;
    const { epoch, view } = block;
    const done = new Promise<readonly Receipt[]>((resolve) => {
      committed = resolve;
    });
    const digesting = pipeline.execute(blockId, block);
    pipeline.finalized(blockId, block, { subject: { kind: 'finalize', epoch, view, blockId }, ...VOTE });
    const stateDigest = await digesting;
    const end = block.next && (await ledger.epochEnd(epoch));
    if (end !== undefined && hexOf(end.blockId) === hexOf(blockId)) pipeline.moved(end);
    const subject = { kind: 'certify', epoch, view, height: block.height, blockId, stateDigest } as const;
    pipeline.certified({ subject, ...VOTE });
    const { finalization, stateCertificate } = await ledger.certificates(at);
    const signers = [finalization, stateCertificate].flatMap((certificate) => certificate?.signers ?? []);
    check({ block, receipts: await done, signers, read: own.state.get });
    height = at;
  }

  return {
    async at(target: number): Promise<StateStore> {
      while (height < target) await execute(height + 1);
      return own.state;
    },
    logs: () => logsOf(disk),
  };
}

/** With the reference's own verdicts. */
function suppliedFrom(bytes: Uint8Array | undefined): SuppliedChunk {
  const chunk = bytes && signedChunkCodec.decode(bytes);
  assert(bytes !== undefined && chunk?.ok === true, 'N5: a node has each chunk of the blocks that it executed');
  const body = chunkBodyCodec.decode(chunk.value.body);
  assert(body.ok, 'the body of a chunk in a final block is sound');
  const decoded = body.value.transactions.map((each) => decodeTransaction(each));
  return {
    bytes,
    verdicts: Uint8Array.from(decoded, (each) => verdictByte(isSigned(each) ? 'good' : 'bad-signature')),
    ids: concatBytes(...decoded.map(({ id }) => id)),
    batches: packBatches([]),
  };
}
