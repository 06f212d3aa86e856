/**
 * Chain audit: reads every block of a range again from one node, and compares it with what clients were promised.
 *
 *   accepted --> in exactly one block, reported with the same end | in no block, reported expired
 *
 * Everything else is a fault: in two blocks (twice), in none and not reported expired (missing), in one but reported expired
 * (resurrected), reported with another end than the block's (contradicted).
 */
import { LoadError } from '../errors.ts';
import type { NodeHandle } from '../sending/node-handle.ts';
import type { End } from './sent-transactions.ts';

export interface ChainAudit {
  readonly blocks: number;
  /** All transactions in the blocks, other senders' included. */
  readonly transactions: number;
  /** Of the accepted transactions. */
  readonly final: number;
  readonly failed: number;
  readonly expired: number;
  readonly faults: {
    readonly twice: readonly string[];
    readonly missing: readonly string[];
    readonly resurrected: readonly string[];
    readonly contradicted: readonly string[];
  };
  readonly exactlyOnce: boolean;
}

interface AuditOptions {
  readonly node: Pick<NodeHandle, 'name' | 'client'>;
  /** Reading starts above this height. */
  readonly fromHeight: number;
  readonly toHeight: number;
  /** Accepted transactions with the end reported to their clients. */
  readonly fates: ReadonlyMap<string, End | 'pending'>;
}

const ID_DIGITS = 64;

/** Throws LoadError `audit-failed` when a block of the range cannot be read. */
export async function auditChain({ node, fromHeight, toHeight, fates }: AuditOptions): Promise<ChainAudit> {
  const ends = new Map<string, 'final' | 'failed'>();
  const twice: string[] = [];
  let transactions = 0;
  for (let height = fromHeight + 1; height <= toHeight; height++) {
    const outcomes = await node.client.blockOutcomes(height).catch((cause: unknown) => {
      const message = `${node.name} did not give block ${height} of ${fromHeight + 1} to ${toHeight}: ${String(cause)}`;
      throw new LoadError('audit-failed', message, { height }, cause);
    });
    for (const [ids, end] of [
      [outcomes.success, 'final'],
      [outcomes.failed, 'failed'],
    ] as const) {
      for (let at = 2; at < ids.length; at += ID_DIGITS) {
        const id = `0x${ids.slice(at, at + ID_DIGITS)}`;
        transactions += 1;
        if (ends.has(id)) twice.push(id);
        ends.set(id, end);
      }
    }
  }
  return { blocks: Math.max(0, toHeight - fromHeight), transactions, ...compare(fates, ends, twice) };
}

export function compare(
  fates: ReadonlyMap<string, End | 'pending'>,
  ends: ReadonlyMap<string, 'final' | 'failed'>,
  twice: readonly string[],
): Omit<ChainAudit, 'blocks' | 'transactions'> {
  const counts = { final: 0, failed: 0, expired: 0 };
  const missing: string[] = [];
  const resurrected: string[] = [];
  const contradicted: string[] = [];
  for (const [id, reported] of fates) {
    const end = ends.get(id);
    if (end === undefined) {
      if (reported === 'expired') counts.expired += 1;
      else missing.push(id);
      continue;
    }
    counts[end] += 1;
    if (reported === 'expired') resurrected.push(id);
    else if ((reported === 'final' || reported === 'failed') && reported !== end) contradicted.push(id);
  }
  const faults = { twice, missing, resurrected, contradicted };
  return { ...counts, faults, exactlyOnce: Object.values(faults).every((ids) => ids.length === 0) };
}
