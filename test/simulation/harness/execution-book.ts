/**
 * What executing nodes tell and show, and the rules of pipeline.md and state.md that it must obey.
 *
 *   P1  what is visible is the state after a final block, never one that is under way
 *   P2  all nodes commit the same blocks with the same digests, as a node does that executes the final chain one by one (reference.ts)
 *   P6  after a power cut the ledger is never behind the state store
 *   V2  what was told as committed is there after any crash
 */
import type { CommittedBlock, Reconciled } from '@slipstream/pipeline';
import type { PeerKey } from '@slipstream/ports';
import { type Block, type BlockId, type ChunkId, hexOf } from '@slipstream/types';
import type { Root } from './ordering-application.ts';

export interface FinalBlock {
  readonly blockId: BlockId;
  readonly block: Block;
}

/** Of one life of a node. */
export interface ExecutionRules {
  restored(root: Root): void;
  final(blockId: BlockId, block: Block): void;
  /** The block whose state readers see now. */
  visible(block: string): void;
  committed(committed: CommittedBlock, visible: string): void;
}

export interface ExecutionBook {
  chunk(id: ChunkId, bytes: Uint8Array): void;
  opened(peer: PeerKey, reconciled: Reconciled): ExecutionRules;
  /** What was broken, in words. */
  readonly violations: readonly string[];
  readonly chunks: ReadonlyMap<string, Uint8Array>;
  /** By height: final on some honest node. */
  readonly finals: ReadonlyMap<number, FinalBlock>;
  /** By height: the digests told with commits, of which there must be one. */
  readonly digests: ReadonlyMap<number, string>;
  /** The highest height that this node told as committed. */
  committedHeightOf(peer: PeerKey): number;
}

export function createExecutionBook(genesisId: BlockId, isHonest: (peer: PeerKey) => boolean): ExecutionBook {
  const violations: string[] = [];
  const chunks = new Map<string, Uint8Array>();
  const finals = new Map<number, FinalBlock>();
  const digests = new Map<number, string>();
  const told = new Map<PeerKey, number>();
  /** Ids of final blocks, and of the first. */
  const finalIds = new Set<string>([hexOf(genesisId)]);

  function opened(peer: PeerKey, { ledgerHeight, stateHeight }: Reconciled): ExecutionRules {
    const broken = (rule: string, what: string) => {
      if (isHonest(peer)) violations.push(`${rule}: ${what} (${peer.slice(0, 8)})`);
    };
    if (ledgerHeight < stateHeight) broken('P6', `the ledger ends at ${ledgerHeight}, the state at ${stateHeight}`);

    function visible(block: string): void {
      if (!finalIds.has(block)) broken('P1', `the state after ${block.slice(0, 8)} is visible, which is not final`);
    }

    return {
      visible,
      restored({ block }) {
        const committed = told.get(peer) ?? 0;
        if (block.height < committed) broken('V2', `begins at ${block.height}, ${committed} was committed`);
      },
      final(blockId, block) {
        if (!isHonest(peer)) return;
        const known = finals.get(block.height);
        finals.set(block.height, known ?? { blockId, block });
        finalIds.add(hexOf(blockId));
        if (known && hexOf(known.blockId) !== hexOf(blockId)) broken('P2', `two blocks are final at ${block.height}`);
      },
      committed({ blockId, block, stateDigest }, seen) {
        if (!isHonest(peer)) return;
        if (!finalIds.has(hexOf(blockId))) broken('P2', `the block at ${block.height} is committed and not final`);
        visible(seen);
        const digest = digests.get(block.height) ?? hexOf(stateDigest);
        digests.set(block.height, digest);
        if (digest !== hexOf(stateDigest)) broken('P2', `two states are committed at ${block.height}`);
        told.set(peer, Math.max(told.get(peer) ?? 0, block.height));
      },
    };
  }

  return {
    chunk: (id, bytes) => void chunks.set(hexOf(id), bytes),
    opened,
    ...{ violations, chunks, finals, digests },
    committedHeightOf: (peer) => told.get(peer) ?? 0,
  };
}
