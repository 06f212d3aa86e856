/** Follows each transaction of a run in virtual time from its client to the commit at the client's full node. */
import type { CommittedBlock } from '@slipstream/pipeline';
import { EPOCH_MS } from '@slipstream/simulator';
import { type Block, type BlockId, hexOf } from '@slipstream/types';
import { mean, partsOf } from './latency-parts.ts';

/** Times are virtual ms since the start, wall times of blocks since EPOCH_MS. */
export interface Latencies {
  /** By the client beside this member. */
  sent(member: number, id: string, atMs: number): void;
  refused(id: string): void;
  attested(member: number, ids: readonly string[], atMs: number): void;
  committedAtValidator(member: number, block: CommittedBlock): void;
  committedAtFullNode(member: number, block: CommittedBlock, atMs: number): void;
  /** Of those sent between the two. */
  between(fromMs: number, toMs: number): Measured;
}

export interface Measured {
  readonly latenciesMs: readonly number[];
  /** One a transaction, in the order of PARTS. */
  readonly parts: readonly (readonly number[])[];
  readonly sent: number;
  readonly refused: number;
  /** Sent, and not committed when the run ended. */
  readonly open: number;
  /** Means over blocks at full nodes: work that consensus hid, execution, appending. */
  readonly hiddenShare: number;
  readonly executeMs: number;
  readonly appendMs: number;
  /** Of all work of all blocks together: in the mean over blocks an empty one counts as much as a full one. */
  readonly hiddenOfAll: number;
  /** Means over blocks: what ran after the order was known, by EXPOSED. */
  readonly exposedMs: readonly number[];
}

/** Execution, digest, appending; the commit's own record is the rest. */
export const EXPOSED = ['execute', 'digest', 'append', 'commit'] as const;

/** By where each stage ended, and how long it took. */
export function exposedOf({
  times,
  executeMs,
  hidden: { totalMs, shadowedMs },
}: Pick<CommittedBlock, 'times' | 'executeMs' | 'hidden'>): readonly number[] {
  const { finalizedMs = 0, executedMs = 0, digestedMs = executedMs, optCommittedMs = digestedMs } = times;
  const after = (endMs: number, tookMs: number) => Math.max(0, Math.min(tookMs, endMs - finalizedMs));
  const known = [
    after(executedMs, executeMs),
    after(digestedMs, digestedMs - executedMs),
    after(optCommittedMs, optCommittedMs - digestedMs),
  ];
  return [...known, Math.max(0, totalMs - shadowedMs - known.reduce((sum, ms) => sum + ms, 0))];
}

interface Sent {
  readonly member: number;
  readonly atMs: number;
  attestedMs?: number;
  committedMs?: number;
  parts?: readonly number[];
  refused?: boolean;
}

/** At the validator. */
type BlockEnds = Pick<CommittedBlock, 'times'> & { readonly block: Block };

export function createLatencies(): Latencies {
  const transactions = new Map<string, Sent>();
  const atValidator = new Map<string, BlockEnds>();
  /** Of members, until their validator has committed too. */
  const waiting = new Map<string, { readonly id: string; readonly committedMs: number }[]>();
  const work: {
    readonly atMs: number;
    readonly executeMs: number;
    readonly appendMs: number;
    readonly hidden: CommittedBlock['hidden'];
    readonly exposedMs: readonly number[];
  }[] = [];
  const keyOf = (member: number, blockId: BlockId) => `${member} ${hexOf(blockId)}`;

  function split(key: string): void {
    const ends = atValidator.get(key);
    const own = waiting.get(key);
    if (ends === undefined || own === undefined) return;
    waiting.delete(key);
    const { finalizedMs, executedMs, certifiedMs, committedMs } = ends.times;
    const madeMs = ends.block.timestampMs - EPOCH_MS;
    const virtual = (wallMs: number | undefined) => (wallMs === undefined ? undefined : wallMs - EPOCH_MS);
    for (const { id, committedMs: atFullNodeMs } of own) {
      const sent = transactions.get(id) as Sent;
      sent.parts = partsOf(sent.atMs, [
        // A proposal may name chunks that are not certified yet.
        Math.min(sent.attestedMs ?? Number.POSITIVE_INFINITY, madeMs),
        madeMs,
        virtual(finalizedMs),
        virtual(executedMs),
        virtual(certifiedMs),
        virtual(committedMs),
        atFullNodeMs,
      ]);
    }
  }

  return {
    sent: (member, id, atMs) => void transactions.set(id, { member, atMs }),
    refused(id) {
      const sent = transactions.get(id);
      if (sent) sent.refused = true;
    },
    attested(member, ids, atMs) {
      for (const id of ids) {
        const sent = transactions.get(id);
        if (sent?.member === member) sent.attestedMs ??= atMs;
      }
    },
    committedAtValidator(member, { blockId, block, times }) {
      const key = keyOf(member, blockId);
      atValidator.set(key, { block, times });
      split(key);
    },
    committedAtFullNode(member, committed, committedMs) {
      const { blockId, receipts, times, executeMs, hidden } = committed;
      const appendMs = (times.optCommittedMs ?? Number.NaN) - (times.digestedMs ?? Number.NaN);
      work.push({ atMs: committedMs, executeMs, appendMs, hidden, exposedMs: exposedOf(committed) });
      const own = receipts.flatMap(({ transactionId }) => {
        const id = hexOf(transactionId);
        const sent = transactions.get(id);
        if (sent?.member !== member) return [];
        sent.committedMs = committedMs;
        return [{ id, committedMs }];
      });
      const key = keyOf(member, blockId);
      if (own.length > 0) waiting.set(key, own);
      split(key);
    },
    between(fromMs, toMs) {
      const within = [...transactions.values()].filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
      const committed = within.filter((sent) => sent.committedMs !== undefined);
      const works = work.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
      return {
        latenciesMs: committed.map(({ atMs, committedMs }) => (committedMs as number) - atMs),
        parts: committed.flatMap(({ parts }) => (parts ? [parts] : [])),
        sent: within.length,
        refused: within.filter(({ refused }) => refused).length,
        open: within.length - committed.length - within.filter(({ refused }) => refused).length,
        hiddenShare: mean(works.map(({ hidden }) => hidden.share)),
        hiddenOfAll:
          mean(works.map(({ hidden }) => hidden.shadowedMs)) / mean(works.map(({ hidden }) => hidden.totalMs)),
        exposedMs: EXPOSED.map((_, i) => mean(works.map(({ exposedMs }) => exposedMs[i] as number))),
        executeMs: mean(works.map(({ executeMs }) => executeMs)),
        appendMs: mean(works.map(({ appendMs }) => appendMs)),
      };
    },
  };
}
