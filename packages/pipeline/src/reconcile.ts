/**
 * Reconciling at the start: brings ledger and state store to one height after a crash (P6).
 *
 *   store = ledger     nothing to do
 *   store < ledger     a crash between the two writes of a commit: those blocks are executed again and committed
 *   store > ledger     impossible by the order of writes: one was replaced, so the node refuses to start
 *
 * The store's contents are compared with the root that the ledger has for them (R11).
 */
import { EMPTY_DISTILLED } from '@slipstream/execution';
import { type Ledger, type LedgerBlock, unknownAccounts } from '@slipstream/ledger';
import { assert, bytesEqual, to0x } from '@slipstream/primitives';
import type { StateStore } from '@slipstream/state';
import type { StateTree } from '@slipstream/state-tree';
import {
  asId,
  type BlockId,
  blockIdOf,
  type DigestPreimage,
  type Finalization,
  type Genesis,
  type GenesisHash,
  genesisBlock,
  type Height,
  type Hex,
  height,
  hexOf,
  idFromHex,
  merkleRoot,
  NO_RECORD,
  recordOfGenesis,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
  TRANSACTION_LIFE_MS_MAX,
  ZERO_ID,
} from '@slipstream/types';
import type { Reconciled } from './components.ts';
import { PipelineError } from './errors.ts';
import type { ReplayWindow } from './replay-window.ts';

export interface CommittedTip {
  readonly id: Hex<BlockId>;
  readonly height: Height;
  readonly digest: StateDigest;
}

/** In the ledger, not in the store. Execution must give `digest`. */
export interface RecordedBlock extends LedgerBlock {
  readonly id: Hex<BlockId>;
  readonly digest: StateDigest;
  /** The certificate of its commit: of this block or a descendant. */
  readonly certificate: StateCertificate | undefined;
  readonly finalization: Finalization | undefined;
}

/** Recorded blocks prepared at a time, because each holds its chunks in memory. A crash leaves one such block, an old copy of the store many. */
export const RECORDED_AHEAD_BLOCKS = 64;

export interface Start {
  readonly reconciled: Reconciled;
  readonly tip: CommittedTip;
  /** Consecutive, above the tip. */
  readonly recorded: readonly RecordedBlock[];
}

interface ReconcileComponents {
  readonly state: StateStore;
  readonly tree: StateTree;
  readonly ledger: Ledger;
  readonly window: ReplayWindow;
}

/** Throws PipelineError `irreconcilable`. */
export async function reconcile(
  { state, tree, ledger, window }: ReconcileComponents,
  { genesis, genesisHash }: { readonly genesis: Genesis; readonly genesisHash: GenesisHash },
): Promise<Start> {
  const created = (await ledger.tip()) === undefined;
  if (created) await commitGenesis({ state, tree, ledger }, genesis, genesisHash);
  const ledgerHeight = (await ledger.tip())?.height ?? height(0);
  const at = await blockOfStore(state, ledger, ledgerHeight);
  const { height: stateHeight, timestampMs } = at.block;
  const preimages = await ledger.preimages(stateHeight, ledgerHeight);
  const [own, ...above] = preimages;
  if (own === undefined || preimages.length !== ledgerHeight - stateHeight + 1) {
    throw refusal(state, ledgerHeight, 'digest preimages are missing in the ledger');
  }
  if (!bytesEqual(own.batchChecksum, state.tip.checksum)) {
    throw refusal(state, ledgerHeight, `the store's checksum is not the one recorded at height ${stateHeight}`);
  }
  if (!bytesEqual(own.stateRoot, rootOf(tree))) {
    throw refusal(state, ledgerHeight, `the store's contents do not have the root recorded at height ${stateHeight}`);
  }
  await restoreWindow(ledger, window, timestampMs - TRANSACTION_LIFE_MS_MAX, stateHeight);
  return {
    reconciled: { ledgerHeight, stateHeight, created },
    tip: { id: hexOf(at.blockId), height: stateHeight, digest: stateDigestOf(genesisHash, own) },
    recorded: await recordedBlocks(ledger, genesisHash, above),
  };
}

async function commitGenesis(
  { state, tree, ledger }: Omit<ReconcileComponents, 'window'>,
  genesis: Genesis,
  genesisHash: GenesisHash,
): Promise<void> {
  const block = genesisBlock(genesisHash, genesis.timestampMs);
  const blockId = blockIdOf(block);
  if (state.tip.block !== hexOf(blockId))
    throw refusal(state, -1, 'the ledger is empty and the store is not at genesis');
  const preimage: DigestPreimage = {
    height: height(0),
    blockId,
    parentDigest: asId<StateDigest>(ZERO_ID),
    batchChecksum: state.tip.checksum,
    stateRoot: rootOf(tree),
    receiptsRoot: merkleRoot([]),
    transactionCount: 0,
    next: NO_RECORD,
    ...(genesis.distilled && { distilled: EMPTY_DISTILLED }),
  };
  await ledger.putBlock({ blockId, block, receipts: [], accounts: unknownAccounts(0) });
  const newEpoch = { record: recordOfGenesis(genesis), end: undefined };
  await ledger.commit(blockId, { preimages: [preimage], certificate: undefined, finalization: undefined, newEpoch });
}

function rootOf(tree: StateTree): Uint8Array {
  const root = tree.root(tree.tip);
  assert(root !== undefined, 'a state tree has the root of its committed block');
  return root;
}

async function blockOfStore(state: StateStore, ledger: Ledger, ledgerHeight: number): Promise<LedgerBlock> {
  const found = await ledger.block({ id: idFromHex<BlockId>(state.tip.block) });
  if (found === undefined) throw refusal(state, ledgerHeight, 'the ledger does not know the block of the store');
  return found;
}

async function restoreWindow(ledger: Ledger, window: ReplayWindow, sinceMs: number, upTo: number): Promise<void> {
  for (const { blockId, block, executedIds } of await ledger.recentBlocks(sinceMs)) {
    if (block.height > upTo) break;
    window.add(hexOf(blockId), block.timestampMs, executedIds);
    window.finish(hexOf(blockId));
  }
}

async function recordedBlocks(
  ledger: Ledger,
  genesisHash: GenesisHash,
  preimages: readonly DigestPreimage[],
): Promise<readonly RecordedBlock[]> {
  const recorded: RecordedBlock[] = [];
  for (const preimage of preimages) {
    const found = await ledger.block({ height: preimage.height });
    assert(found !== undefined, 'a height with a digest preimage up to the tip has its block');
    const [certificate, { finalization }] = await Promise.all([
      ledger.stateCertificateFrom(preimage.height),
      ledger.certificates(preimage.height),
    ]);
    const digest = stateDigestOf(genesisHash, preimage);
    recorded.push({ ...found, id: hexOf(found.blockId), digest, certificate, finalization });
  }
  return recorded;
}

function refusal(state: StateStore, ledgerHeight: number, what: string): PipelineError {
  const data = { ledgerHeight, stateBlock: state.tip.block, stateChecksum: to0x(state.tip.checksum) };
  const text = `state store (block ${data.stateBlock}) and ledger (height ${ledgerHeight}) do not fit: ${what}`;
  return new PipelineError('irreconcilable', `${text}; restore both folders together, or sync again`, data);
}
