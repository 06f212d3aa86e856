/** A data folder written by the real stores from a seed: two process lives, evidence, snapshots, a recording. Small, so that cases are quick. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChunkFiles } from '@slipstream/chunk-files';
import { HASH_KEY_BYTES } from '@slipstream/crypto';
import { createAccountLists, type Ledger, openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { treeOfStore } from '@slipstream/pipeline';
import { createClock, createDisk, nextTurn } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { assert, sha256, toHex, utf8 } from '@slipstream/primitives';
import { createRandom, type SeededRandom } from '@slipstream/simulator';
import type { StateStore, Write } from '@slipstream/state';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ChunkHeader,
  chunkBodyCodec,
  chunkIdOf,
  type DigestPreimage,
  ed25519Account,
  GENESIS_EPOCH,
  type Genesis,
  genesisBlock,
  genesisHashOf,
  height,
  hexOf,
  merkleRoot,
  NO_RECORD,
  NO_UNITS,
  payloadRootOf,
  receiptCodec,
  type StateDigest,
  signedChunkCodec,
  stateDigestOf,
  type TransactionId,
  view,
} from '@slipstream/types';
import {
  durabilityOf,
  openSignState,
  openWal,
  type RecordKind,
  type SyncedKind,
  type UnsyncedKind,
  type Wal,
} from '@slipstream/wal';
import { createAuditLog } from '../../../apps/node/src/backend/audit-log.ts';
import { openChunks } from '../../../apps/node/src/storage/chunk-store.ts';
import { openSealed } from '../../../apps/node/src/storage/seals/sealed-level.ts';
import { person, testChain } from '../../../packages/execution/test/session-world.ts';
import { reconcile } from '../../../packages/pipeline/src/reconcile.ts';
import { createReplayWindow } from '../../../packages/pipeline/src/replay-window.ts';
import { createWorld, play } from '../../simulation/harness/recorded-nodes.ts';
import * as sample from '../samples.ts';
import { type DataFolder, readFiles } from './folder.ts';

const LIVES = 3;
const BLOCKS_A_LIFE = 14;
const RECORDED_MS = 700;
const WAL_SEGMENT_BYTES = 6_000;
const PEOPLE = 9;
/** Below one transfer's, so that there are block files. */
const BODY_IN_STORE_BYTES_MAX = 64;

interface Stores {
  readonly ledger: Ledger;
  readonly chunks: ChunkFiles;
  readonly state: StateStore;
}

interface Tip {
  readonly block: Block;
  readonly blockId: BlockId;
  readonly digest: StateDigest;
}

const accountOf = (number: number) => ed25519Account(sha256(utf8(`account ${number}`)));

export async function makeFolder(seed: string | number): Promise<DataFolder> {
  const random = createRandom(`flips/folder/${seed}`);
  const chain = testChain('flips', { balances: [person('alice').account, person('bob').account] });
  const state = { history: 6, deadPercent: 60, deadBytesMin: 900, deadBytesMax: 8_000, moveBytesMax: 1_000 };
  const genesis: Genesis = { ...chain.genesis, state };
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-flips-'));
  try {
    let tip: Tip | undefined;
    for (let life = 0; life < LIVES; life++) tip = await liveOnce(folder, genesis, random, tip);
    await writeLog(folder, genesis, random);
    await writeAudit(folder);
    await writeRecording(folder, seed);
    return { genesis, genesisHash: genesisHashOf(genesis), files: await readFiles(folder) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function liveOnce(folder: string, genesis: Genesis, random: SeededRandom, before: Tip | undefined): Promise<Tip> {
  const genesisHash = genesisHashOf(genesis);
  const keyValue = await openSealed({ location: join(folder, DATA.ledger) });
  const disk = createDisk({ root: folder });
  const files = { disk, random, directory: DATA.blockFiles, storeBytesMax: BODY_IN_STORE_BYTES_MAX };
  const stores: Stores = {
    ledger: await openLedger({ keyValue, files, telemetry: silentTelemetry }, { genesisHash }),
    chunks: await openChunks(folder, genesisHash, { random, telemetry: silentTelemetry }),
    state: await openState(
      disk,
      { genesis, genesisHash },
      { random, telemetry: silentTelemetry },
      { snapshots: { directory: DATA.snapshots, every: 12, keep: 2 } },
    ),
  };
  let tip = before ?? (await beginChain(stores, genesis, random));
  for (let i = 0; i < BLOCKS_A_LIFE; i++) tip = await commitBlock(stores, genesis, random, tip);
  await stores.ledger.putEvidence({
    type: 'votes',
    offender: before === undefined ? 1 : 2,
    first: sample.votes[0] as never,
    second: sample.votes[2] as never,
  });
  await stores.ledger.putPeerBlock({
    peer: chain(genesis),
    reason: 'oversize',
    detail: `${tip.block.height}`,
    atMs: 9,
  });
  // As in an orderly stop.
  tip = await commitBlock(stores, genesis, random, tip);
  await Promise.all([stores.ledger.close(), stores.chunks.close(), stores.state.close()]);
  return tip;
}

function chain({ members }: Genesis) {
  return (members[0] as Genesis['members'][number]).peerKey;
}

/** Reconciling commits genesis to an empty ledger. */
async function beginChain({ ledger, state }: Stores, genesis: Genesis, random: SeededRandom): Promise<Tip> {
  const genesisHash = genesisHashOf(genesis);
  const window = createReplayWindow(new Uint8Array(HASH_KEY_BYTES));
  const tree = await treeOfStore(state, { secret: random.bytes(32), pause: nextTurn });
  await reconcile({ state, tree, ledger, window }, { genesis, genesisHash });
  const block = genesisBlock(genesisHash, genesis.timestampMs);
  const preimage = await ledger.preimage(block.height);
  assert(preimage !== undefined, 'a ledger that is reconciled has genesis');
  return { block, blockId: blockIdOf(block), digest: stateDigestOf(genesisHash, preimage) };
}

async function commitBlock(stores: Stores, genesis: Genesis, random: SeededRandom, parent: Tip): Promise<Tip> {
  const { ledger, chunks, state } = stores;
  const genesisHash = genesisHashOf(genesis);
  const at = height(parent.block.height + 1);
  const chunk = makeChunk(at, random);
  const payload = [{ chunkId: chunk.id, certificate: undefined }];
  const block: Block = {
    ...parent.block,
    view: view(parent.block.view + 1),
    height: at,
    parentId: parent.blockId,
    parentView: parent.block.view,
    timestampMs: parent.block.timestampMs + 100,
    payload,
    payloadRoot: payloadRootOf(payload),
    next: undefined,
  };
  const blockId = blockIdOf(block);
  const { receipts, accounts } = receiptsOf(at, random);
  const { checksum } = state.prepare(state.tip.block, hexOf(blockId), writesOf(at, random));
  const preimage: DigestPreimage = {
    height: at,
    blockId,
    parentDigest: parent.digest,
    batchChecksum: checksum,
    // Nothing here reads the tree.
    stateRoot: sha256(checksum),
    receiptsRoot: merkleRoot(receipts),
    transactionCount: receipts.length,
    next: NO_RECORD,
  };
  const digest = stateDigestOf(genesisHash, preimage);
  await state.append(hexOf(blockId));
  await ledger.putBlock({ blockId, block, receipts, accounts });
  await chunks.put(at, [{ chunkId: chunk.id, bytes: chunk.bytes }]);
  const signed = { signers: [0, 1, 3], aggregate: random.bytes(96) };
  await ledger.commit(blockId, {
    preimages: [preimage],
    certificate: {
      subject: { kind: 'certify', epoch: GENESIS_EPOCH, view: block.view, height: at, blockId, stateDigest: digest },
      ...signed,
    },
    finalization: { subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view: block.view, blockId }, ...signed },
  });
  await state.commit(hexOf(blockId));
  return { block, blockId, digest };
}

function makeChunk(at: number, random: SeededRandom) {
  const body = chunkBodyCodec.encode({
    transactions: sample.transactionBytes.slice(0, 1 + random.below(4)),
    batches: [],
  });
  const header: ChunkHeader = {
    epoch: GENESIS_EPOCH,
    producer: at % 4,
    sequence: at,
    createdMs: at * 100,
    expiryMs: at * 100 + 30_000,
    bodyHash: sha256(body),
    bodyBytes: body.length,
    transactionCount: 1,
    batchCount: 0,
    rowCount: 0,
    units: NO_UNITS,
    acksWanted: false,
  };
  return { id: chunkIdOf(header), bytes: signedChunkCodec.encode({ header, body, signature: random.bytes(192) }) };
}

function receiptsOf(at: Block['height'], random: SeededRandom) {
  const lists = createAccountLists();
  const receipts = Array.from({ length: random.below(4) }, (_, index) => {
    lists.add([accountOf(0), accountOf(1 + random.below(PEOPLE))]);
    return receiptCodec.encode({
      transactionId: asId<TransactionId>(random.bytes(32)),
      outcome: { status: 'success' },
      output: new Uint8Array(0),
      fee: 7n,
      units: NO_UNITS,
      height: at,
      index,
    });
  });
  return { receipts, accounts: lists.packed() };
}

function writesOf(at: number, random: SeededRandom): readonly Write[] {
  return Array.from({ length: 6 }, (_, i): Write => {
    const key = utf8(`key ${(at * 5 + i * 7) % 48}`);
    return { key, value: random.chance(0.15) ? undefined : random.bytes(random.pick([8, 16, 16, 40, 120])) };
  }).filter(({ key }, i, all) => all.findIndex((other) => toHex(other.key) === toHex(key)) === i);
}

async function writeLog(folder: string, genesis: Genesis, random: SeededRandom): Promise<void> {
  const disk = createDisk({ root: folder });
  const genesisHash = genesisHashOf(genesis);
  const signState = await openSignState({ disk }, { path: DATA.signState, genesisHash });
  const options = { directory: DATA.wal, genesisHash, segmentBytesMax: WAL_SEGMENT_BYTES };
  const { wal, report } = await openWal({ clock: createClock(), disk, random, telemetry: silentTelemetry }, options);
  await signState.mayTrust(report);
  const kinds: readonly RecordKind[] = ['own-notarize', 'proposal', 'certificate', 'own-finalize', 'chunk'];
  for (let at = 1; at <= 90; at++) {
    await signState.reserve({ view: at, chunkSequence: at, logSequence: wal.durableSequence });
    append(wal, random.pick(kinds), random.bytes(20 + random.below(300)));
    if (random.chance(0.4)) await wal.sync();
  }
  await wal.close();
}

function append(wal: Wal, kind: RecordKind, payload: Uint8Array): void {
  if (durabilityOf(kind) === 'synced') wal.append(kind as SyncedKind, payload, payload);
  else wal.append(kind as UnsyncedKind, payload);
}

async function writeAudit(folder: string): Promise<void> {
  const audit = createAuditLog(join(folder, DATA.audit), silentTelemetry);
  for (let at = 1; at <= 20; at++) {
    audit.record({ atMs: at, act: 'block-peer', address: '127.0.0.1', outcome: 'done', detail: `peer ${at}` });
  }
  await audit.newest();
}

async function writeRecording(folder: string, seed: string | number): Promise<void> {
  const world = createWorld(`flips ${seed}`);
  await play(world, RECORDED_MS);
  const file = join(folder, DATA.recordings, '000000000000001-00000.recording');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, world.recordings(0)[0] as Uint8Array);
}
