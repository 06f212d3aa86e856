/** A certified chain, its last block's snapshot, and peers that serve it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { createClock, createRandom } from '@slipstream/platform';
import { type Disk, type PeerKey, silentTelemetry, type Verifier } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import { createLifetime } from '@slipstream/simulator';
import { listSnapshots, readSnapshot, type SnapshotFile, type StateSnapshot } from '@slipstream/state';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type CommitteeMember,
  createCommittee,
  type DigestPreimage,
  type EpochRecord,
  epoch as epochOf,
  GENESIS_EPOCH,
  type GenesisHash,
  genesisBlock,
  height,
  hexOf,
  merkleRoot,
  NO_RECORD,
  recordHashOf,
  recordOfGenesis,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
  view,
  ZERO_ID,
} from '@slipstream/types';
import { syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { testChain } from '../../../execution/test/session-world.ts';
import { commitBatch, newDisk, open, put, TINY } from '../../../state/test/builders.ts';
import { createKnownEpochs } from '../../src/state-sync/known-epochs.ts';
import type { Manifest } from '../../src/state-sync/manifest.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import { takeOver } from '../../src/state-sync/take-over.ts';
import { PIECE_BYTES, packPiece, packReceipts } from '../../src/state-sync/wire.ts';
import { zstd } from './zstd.ts';

export const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
/** Four logs, none ever compacted. */
export const PARAMETERS = { ...TINY, deadBytesMax: 1_000_000, moveBytesMax: 1_000_000 };
export const COMMITTEE = createCommittee([1, 1, 1, 1].map((weight) => ({ weight }) as unknown as CommitteeMember));
/** Of genesis, and of the next epoch. */
export const RECORD: EpochRecord = recordOfGenesis(testChain('snapshots').genesis);
export const NEXT_RECORD: EpochRecord = { ...RECORD, epoch: epochOf(1), version: 2 };
const NEXT_HASH = recordHashOf(GENESIS_HASH, NEXT_RECORD);
/** Signatures are made up here: zeros hold. */
export const VERIFIER: Pick<Verifier, 'checkBatch'> = {
  checkBatch: async (batch) =>
    batch.map((statement) => statement.kind === 'aggregate' && statement.aggregate.every((byte) => byte === 0)),
};
export const PEER = 'peer' as PeerKey;
export const SNAPSHOTS = 'snapshots';
/** Idle: a minute has fewer blocks than there are logs. */
const BLOCK_MS = 40_000;
/** One more than a genesis batch holds: files of a short chain end in batches of genesis. */
const GENESIS_ENTRIES = 257;

export interface SnapshotChain {
  readonly disk: Disk;
  readonly snapshot: StateSnapshot;
  /** By height, from genesis. */
  readonly blocks: readonly Block[];
  /** By height. */
  readonly preimages: readonly DigestPreimage[];
  readonly certificate: StateCertificate;
  readonly manifest: Manifest;
}

type DistilledAt = (height: number) => DigestPreimage['distilled'];

/** Two chains of one tip and two values differ in all files, and in nothing else. `boundary`: of epoch 0, a height. */
export async function snapshotChain(
  tip: number,
  value = 'honest',
  boundary?: number,
  distilledAt: DistilledAt = () => undefined,
): Promise<SnapshotChain> {
  const blocks = blocksUpTo(tip, boundary);
  const ids = blocks.map(blockIdOf);
  const simulated = newDisk();
  const { store, recovered } = await open(simulated, {
    genesisBlock: hexOf(ids[0] as BlockId),
    genesisBatch: Array.from({ length: GENESIS_ENTRIES }, (_, i) => put(`genesis ${i}`, value)),
    parameters: PARAMETERS,
    snapshots: { directory: SNAPSHOTS, every: 1, keep: 1 },
  });
  if (recovered.batch !== 1) throw new Error('genesis is two batches');
  const checksums = [store.tip.checksum];
  for (const id of ids.slice(1)) checksums.push(await commitBatch(store, hexOf(id), [put(hexOf(id).slice(2), value)]));
  const disk = simulated.mount(createLifetime());
  const snapshot = (await listSnapshots(disk, SNAPSHOTS))[0] as StateSnapshot;
  const { preimages, certificate } = certified(blocks, checksums, distilledAt);
  return { disk, snapshot, blocks, preimages, certificate, manifest: { snapshot, preimages, certificate } };
}

function blocksUpTo(tip: number, boundary = Number.POSITIVE_INFINITY): readonly Block[] {
  const first = genesisBlock(GENESIS_HASH, 0);
  const blocks = [first];
  for (let at = 1; at <= tip; at++) {
    const parentId = blockIdOf(blocks[at - 1] as Block);
    const ofEpoch = { epoch: epochOf(at > boundary ? 1 : 0), next: at === boundary ? NEXT_HASH : undefined };
    const place = { view: view(at), height: height(at), parentId, parentView: view(at - 1) };
    blocks.push({ ...first, ...place, ...ofEpoch, timestampMs: at * BLOCK_MS });
  }
  return blocks;
}

function certified(blocks: readonly Block[], checksums: readonly Uint8Array[], distilledAt: DistilledAt) {
  const ids = blocks.map(blockIdOf);
  const preimages: DigestPreimage[] = [];
  let stateDigest = asId<StateDigest>(ZERO_ID);
  for (const [at, blockId] of ids.entries()) {
    const batchChecksum = checksums[at] as Uint8Array;
    const stateRoot = sha256(batchChecksum);
    const parts = { height: height(at), blockId, parentDigest: stateDigest, batchChecksum, stateRoot };
    const preimage = {
      ...parts,
      receiptsRoot: merkleRoot([]),
      transactionCount: 0,
      next: blocks[at]?.next ?? NO_RECORD,
      distilled: distilledAt(at),
    };
    preimages.push(preimage);
    stateDigest = stateDigestOf(GENESIS_HASH, preimage);
  }
  const tip = ids.length - 1;
  const subject = {
    kind: 'certify',
    epoch: blocks[tip]?.epoch ?? GENESIS_EPOCH,
    view: view(tip),
    height: height(tip),
    blockId: ids[tip] as BlockId,
    stateDigest,
  } as const;
  return { preimages, certificate: { subject, signers: [0, 1, 2], aggregate: new Uint8Array(96) } as StateCertificate };
}

/** With one file of the other chain. */
export function withFileOf(other: SnapshotChain, { snapshot }: SnapshotChain, file: number): StateSnapshot {
  const foreign = other.snapshot.files.find((each) => each.file === file) as SnapshotFile;
  return { ...snapshot, files: snapshot.files.map((each) => (each.file === file ? foreign : each)) };
}

/** One peer, which may serve one file of another chain. */
export function sourcesOf(chain: SnapshotChain, foreign?: { readonly file: number; readonly chain: SnapshotChain }) {
  const blocked: string[] = [];
  const sources: Sources = {
    available: () => [PEER],
    async ask(_peer, { query, from = 0, to = 0 }) {
      const nothing = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
      if (query === 'receipts') {
        const blocks = chain.blocks.slice(from, to + 1);
        return { ...nothing, blocks, chunks: [packReceipts(blocks.map(() => []))] };
      }
      const { disk, snapshot } = from === foreign?.file ? foreign.chain : chain;
      const piece = await readSnapshot(disk, SNAPSHOTS, snapshot, from, to, PIECE_BYTES);
      return { ...nothing, chunks: piece ? [packPiece(piece, zstd)] : [] };
    },
    failed: () => {},
    succeeded: () => {},
    block: (_peer, why) => blocked.push(why),
    stop: async () => {},
  };
  return { sources, blocked };
}

/** With an older state. */
export async function olderFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-snapshot-'));
  await mkdir(join(folder, DATA.state));
  await writeFile(join(folder, DATA.state, 'older'), '');
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function takeOverInto(folder: string, sources: Sources, manifest: Manifest) {
  const world = { clock: createClock(), random: createRandom(), telemetry: silentTelemetry };
  const components = { ...world, folder: syncFolder(folder), compression: zstd, verifier: VERIFIER };
  const setting = { genesisHash: GENESIS_HASH, parameters: PARAMETERS };
  const epochs = createKnownEpochs({ sources, verifier: VERIFIER }, { genesisHash: GENESIS_HASH, record: RECORD });
  const outcome = await takeOver(components, setting, sources, { manifest, epochs });
  if (typeof outcome === 'string') return outcome;
  await outcome.install();
  return 'done';
}
