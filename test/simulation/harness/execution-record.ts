/**
 * Rules of pipeline.md and state.md:
 *
 *   P1  the visible state is that of a final block
 *   P2  all nodes commit the same blocks and digests as a node that executes the final chain one by one (reference.ts)
 *   P5  earlier certificates are used: a block is committed once all it needs is here
 *   P6  after a power cut the ledger is never behind the state store
 *   V2  blocks reported as committed survive any crash
 */
import type { CommittedBlock, Reconciled } from '@slipstream/pipeline';
import type { PeerKey } from '@slipstream/ports';
import { type Block, type BlockId, type ChunkId, hexOf, type StateCertificate } from '@slipstream/types';
import type { Root } from './ordering-ledger.ts';

export interface FinalBlock {
  readonly blockId: BlockId;
  readonly block: Block;
}

/** Of a node's process. */
export interface ExecutionRules {
  restored(root: Root): void;
  final(blockId: BlockId, block: Block): void;
  executed(blockId: BlockId): void;
  certified(certificate: StateCertificate): void;
  /** Whose state readers see. */
  visible(block: string): void;
  committed(committed: CommittedBlock, visible: string): void;
}

export interface ExecutionRecord {
  chunk(id: ChunkId, bytes: Uint8Array): void;
  opened(peer: PeerKey, reconciled: Reconciled, nowMs: () => number): ExecutionRules;
  readonly violations: readonly string[];
  readonly chunks: ReadonlyMap<string, Uint8Array>;
  /** By height, on some honest node. */
  readonly finals: ReadonlyMap<number, FinalBlock>;
  /** By height, unique. */
  readonly digests: ReadonlyMap<number, string>;
  committedHeightOf(peer: PeerKey): number;
}

/** Syncs of a chunk, an append, a ledger and a journal, after those of earlier blocks. */
const LATE_MS_MAX = 150;

function createArrivals(nowMs: () => number) {
  const finals = new Map<string, number>();
  const executed = new Map<string, number>();
  const certificates: { readonly id: string; readonly height: number; readonly atMs: number }[] = [];
  let lastCommitMs = Number.NEGATIVE_INFINITY;

  /** First certificate of this height or above whose block was executed: digests form a chain. */
  function certifiedMs(height: number): number {
    const covering = certificates.filter((each) => each.height >= height);
    return Math.min(...covering.map(({ id, atMs }) => Math.max(atMs, executed.get(id) ?? Number.POSITIVE_INFINITY)));
  }

  return {
    final: (id: BlockId) => void finals.set(hexOf(id), nowMs()),
    executed: (id: BlockId) => void executed.set(hexOf(id), nowMs()),
    certified: ({ subject }: StateCertificate) =>
      void certificates.push({ id: hexOf(subject.blockId), height: subject.height, atMs: nowMs() }),
    /** Delay after the last of them; unknown ones (of an earlier process) do not count. */
    committed(id: BlockId, { height }: Block): number {
      const known = [finals.get(hexOf(id)), executed.get(hexOf(id)), certifiedMs(height), lastCommitMs];
      const sinceMs = Math.max(...known.map((ms) => ms ?? Number.POSITIVE_INFINITY));
      lastCommitMs = nowMs();
      while (certificates[0] && certificates[0].height < height) certificates.shift();
      return nowMs() - sinceMs;
    },
  };
}

export function createExecutionRecord(genesisId: BlockId, isHonest: (peer: PeerKey) => boolean): ExecutionRecord {
  const violations: string[] = [];
  const chunks = new Map<string, Uint8Array>();
  const finals = new Map<number, FinalBlock>();
  const digests = new Map<number, string>();
  const committedHeights = new Map<PeerKey, number>();
  const finalIds = new Set<string>([hexOf(genesisId)]);

  function opened(peer: PeerKey, { ledgerHeight, stateHeight }: Reconciled, nowMs: () => number): ExecutionRules {
    const arrivals = createArrivals(nowMs);
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
        const committed = committedHeights.get(peer) ?? 0;
        if (block.height < committed) broken('V2', `begins at ${block.height}, ${committed} was committed`);
      },
      final(blockId, block) {
        if (!isHonest(peer)) return;
        arrivals.final(blockId);
        const known = finals.get(block.height);
        finals.set(block.height, known ?? { blockId, block });
        finalIds.add(hexOf(blockId));
        if (known && hexOf(known.blockId) !== hexOf(blockId)) broken('P2', `two blocks are final at ${block.height}`);
      },
      executed: arrivals.executed,
      certified: arrivals.certified,
      committed({ blockId, block, stateDigest }, seen) {
        if (!isHonest(peer)) return;
        const lateMs = arrivals.committed(blockId, block);
        if (lateMs > LATE_MS_MAX) broken('P5', `height ${block.height} is committed ${Math.round(lateMs)} ms late`);
        if (!finalIds.has(hexOf(blockId))) broken('P2', `the block at ${block.height} is committed and not final`);
        visible(seen);
        const digest = digests.get(block.height) ?? hexOf(stateDigest);
        digests.set(block.height, digest);
        if (digest !== hexOf(stateDigest)) broken('P2', `two states are committed at ${block.height}`);
        committedHeights.set(peer, Math.max(committedHeights.get(peer) ?? 0, block.height));
      },
    };
  }

  return {
    chunk: (id, bytes) => void chunks.set(hexOf(id), bytes),
    opened,
    violations,
    chunks,
    finals,
    digests,
    committedHeightOf: (peer) => committedHeights.get(peer) ?? 0,
  };
}
