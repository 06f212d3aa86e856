/**
 * Reports of committed blocks to a broker: each height once, in order, and none left out while batches wait for their outcome.
 *
 *   notice --> records of its height, and of those whose notices were lost --read--> report
 *                                                              \--not now--> read again, for a bounded time
 *
 * Notices may be dropped, and the stores are closed while a node joins. A batch whose outcome is left out would seem to have expired.
 */
import type { CommittedBlock } from '@slipstream/broker';
import { type BatchRecord, decodeBatchRecord } from '@slipstream/distilled';
import type { LedgerReader } from '@slipstream/ledger';
import type { Clock, Telemetry } from '@slipstream/ports';

export interface CommittedHead {
  readonly epoch: number;
  readonly height: number;
  readonly timestampMs: number;
}

interface BlockReportsParts {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly ledger: Pick<LedgerReader, 'batches'>;
  /** False: no batch waits, so that no block has to be read. */
  isAwaited(): boolean;
  report(block: CommittedBlock): void;
}

interface BlockReports {
  committed(head: CommittedHead, skipped: ReadonlySet<string>): void;
  stop(): void;
}

interface Notice {
  readonly head: CommittedHead;
  readonly skipped: ReadonlySet<string>;
}

/** More blocks than a batch lives, at 30 blocks per second. */
const HEIGHTS_MAX = 1_024;
const REREAD_AFTER_MS = 500;
/** A join by snapshot leaves heights out for good. */
const REREAD_MS_MAX = 60_000;
const NONE: ReadonlySet<string> = new Set();

export function createBlockReports(parts: BlockReportsParts): BlockReports {
  const { clock, telemetry, ledger } = parts;
  /** By height, above `last`. */
  const notices = new Map<number, Notice>();
  /** Reported. */
  let last: CommittedHead | undefined;
  let newest: CommittedHead | undefined;
  let unreadSinceMs: number | undefined;
  let isReading = false;
  let isStopped = false;
  let cancelRereading = (): void => {};

  async function recordsAt(height: number): Promise<readonly BatchRecord[] | undefined> {
    const records = await ledger.batches(height).catch((error: unknown) => {
      telemetry.log('debug', 'outcomes of a block could not be read for a broker', { height, error: String(error) });
      return undefined;
    });
    return records?.flatMap((bytes) => {
      const decoded = decodeBatchRecord(bytes);
      return decoded.ok ? [decoded.value] : [];
    });
  }

  function report({ head, skipped }: Notice, batches: readonly BatchRecord[]): void {
    last = head;
    for (const height of notices.keys()) if (height <= head.height) notices.delete(height);
    parts.report({ epoch: head.epoch, height: head.height, timestampMs: head.timestampMs, batches, skipped });
  }

  /** False: a block cannot be read now. */
  async function next(to: CommittedHead): Promise<boolean> {
    if (!parts.isAwaited()) {
      report({ head: to, skipped: NONE }, []);
      return true;
    }
    const height = Math.max((last?.height ?? to.height - 1) + 1, to.height - HEIGHTS_MAX + 1);
    const batches = await recordsAt(height);
    if (isStopped) return false;
    if (batches !== undefined) unreadSinceMs = undefined;
    else if (isReadAgain(height)) return false;
    // Time and epoch of a block without a notice are not below those before it.
    const notice = notices.get(height) ?? { head: { ...(last ?? to), height }, skipped: NONE };
    report(notice, batches ?? []);
    return true;
  }

  function isReadAgain(height: number): boolean {
    const nowMs = clock.monotonicMs();
    const isFirst = unreadSinceMs === undefined;
    unreadSinceMs ??= nowMs;
    if (nowMs - unreadSinceMs < REREAD_MS_MAX) {
      if (isFirst) telemetry.log('warn', 'a block is missing for a broker, its outcomes are late', { height });
      return true;
    }
    telemetry.log('warn', 'outcomes of a block are lost for a broker: clients may get wrong ones', { height });
    return false;
  }

  async function advance(): Promise<void> {
    if (isReading) return;
    isReading = true;
    cancelRereading();
    while (newest !== undefined && (last === undefined || last.height < newest.height)) {
      if (await next(newest)) continue;
      if (!isStopped) cancelRereading = clock.after(REREAD_AFTER_MS, () => void advance());
      break;
    }
    isReading = false;
  }

  return {
    committed(head, skipped) {
      if (isStopped || (newest !== undefined && head.height <= newest.height)) return;
      newest = head;
      notices.set(head.height, { head, skipped });
      if (notices.size > HEIGHTS_MAX) notices.delete(notices.keys().next().value as number);
      void advance();
    },
    stop() {
      isStopped = true;
      cancelRereading();
    },
  };
}
