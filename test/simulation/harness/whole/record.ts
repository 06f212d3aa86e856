/**
 * Transactions from client to receipt, and the blocks that nodes commit, without any of the nodes' predicates.
 *
 *   N1  an accepted transaction is final once, with a receipt of success, or its expiry passed and it is in no block
 *   N2  no block has a transaction that no client sent, or one past its expiry
 *   N3  all nodes commit the same block and state digest at a height, one height after another
 */
import type { CommittedBlock } from '@slipstream/pipeline';
import type { PeerKey } from '@slipstream/ports';
import { type BlockId, hexOf } from '@slipstream/types';
import type { OpenedStores } from './stores.ts';

export interface Sent {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  readonly expiryMs: number;
}

export interface Place {
  readonly height: number;
  readonly index: number;
}

export interface Join {
  readonly peer: PeerKey;
  readonly height: number;
  readonly when: 'at start' | 'beside';
}

export interface WholeNode extends OpenedStores {
  /** Above it the node committed its blocks itself. */
  readonly begunAt: number;
  submit(bytes: Uint8Array): Promise<boolean>;
}

export interface WholeRecord {
  sent(transaction: Sent): void;
  accepted(id: string): void;
  committed(peer: PeerKey, block: CommittedBlock): void;
  opened(peer: PeerKey, node: WholeNode, tipHeight: number): void;
  /** A state was taken over. */
  joined(peer: PeerKey, height: number, when: Join['when']): void;
  /** Its parts are stopped, and its process goes on. */
  closed(peer: PeerKey): void;
  readonly all: ReadonlyMap<string, Sent>;
  readonly places: ReadonlyMap<string, Place>;
  readonly blocks: ReadonlyMap<number, { readonly blockId: BlockId; readonly stateDigest: string }>;
  readonly joins: readonly Join[];
  readonly violations: readonly string[];
  node(peer: PeerKey): WholeNode | undefined;
  heightOf(peer: PeerKey): number;
  /** Accepted, without a receipt, and not yet expired. */
  waiting(nowMs: number): readonly Sent[];
  /** Accepted, without a receipt, and expired. */
  expired(nowMs: number): readonly Sent[];
}

export function createWholeRecord(): WholeRecord {
  const all = new Map<string, Sent>();
  /** Accepted, without a receipt. */
  const unsettled = new Set<string>();
  const places = new Map<string, Place>();
  const blocks = new Map<number, { blockId: BlockId; stateDigest: string }>();
  const joins: Join[] = [];
  const nodes = new Map<PeerKey, WholeNode>();
  const heights = new Map<PeerKey, number>();
  const violations: string[] = [];

  function receipt(id: string, place: Place, timestampMs: number, succeeded: boolean): void {
    const transaction = all.get(id);
    const known = places.get(id) ?? place;
    places.set(id, known);
    unsettled.delete(id);
    const at = `transaction ${id.slice(0, 8)} at height ${place.height}`;
    if (known.height !== place.height || known.index !== place.index) violations.push(`N1: ${at} is final twice`);
    if (!succeeded) violations.push(`N1: ${at} failed`);
    if (transaction === undefined) violations.push(`N2: ${at} was never sent`);
    else if (timestampMs > transaction.expiryMs) violations.push(`N2: ${at} was expired`);
  }

  const unsettledWhere = (which: (sent: Sent) => boolean) =>
    [...unsettled].map((id) => all.get(id) as Sent).filter(which);

  return {
    sent: (transaction) => void all.set(transaction.id, transaction),
    accepted(id) {
      if (!places.has(id)) unsettled.add(id);
    },
    committed(peer, { blockId, block, receipts, stateDigest }) {
      const { height, timestampMs } = block;
      if (height !== (heights.get(peer) ?? 0) + 1) violations.push(`N3: ${peer.slice(0, 8)} skips to height ${height}`);
      heights.set(peer, height);
      const known = blocks.get(height) ?? { blockId, stateDigest: hexOf(stateDigest) };
      blocks.set(height, known);
      if (hexOf(known.blockId) !== hexOf(blockId)) violations.push(`N3: two blocks are committed at ${height}`);
      if (known.stateDigest !== hexOf(stateDigest)) violations.push(`N3: two states are committed at ${height}`);
      for (const [index, { transactionId, outcome }] of receipts.entries()) {
        receipt(hexOf(transactionId), { height, index }, timestampMs, outcome.status === 'success');
      }
    },
    opened(peer, node, tipHeight) {
      const before = heights.get(peer) ?? 0;
      if (tipHeight < before)
        violations.push(`N3: ${peer.slice(0, 8)} had committed ${before}, begins at ${tipHeight}`);
      nodes.set(peer, node);
      heights.set(peer, tipHeight);
    },
    joined: (peer, height, when) => void joins.push({ peer, height, when }),
    closed: (peer) => void nodes.delete(peer),
    all,
    places,
    blocks,
    joins,
    violations,
    node: (peer) => nodes.get(peer),
    heightOf: (peer) => heights.get(peer) ?? 0,
    waiting: (nowMs) => unsettledWhere(({ expiryMs }) => nowMs <= expiryMs),
    expired: (nowMs) => unsettledWhere(({ expiryMs }) => nowMs > expiryMs),
  };
}
