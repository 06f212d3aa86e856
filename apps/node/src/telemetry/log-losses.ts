/**
 * Counts and reports lines of the log that could not be written:
 *
 *   line --> written? --no--> lost + 1, reason
 *               \--yes, and unreported losses--> "lines of the log were lost" --> written? --yes--> no reason
 */
import type { Telemetry } from '@slipstream/ports';

export interface LogLosses {
  /** Since the start. */
  readonly lines: number;
  /** Undefined while the log is written. */
  readonly reason: string | undefined;
  /** Reports losses now: the next line may come late. */
  reportNow(): void;
}

interface LogWatch extends LogLosses {
  done(fault?: Error): void;
}

/** `done` gets the outcome of the written line. */
type ReportLosses = (lines: number, reason: string, done: (fault?: Error) => void) => void;

export function watchLog(report: ReportLosses): LogWatch {
  let lines = 0;
  let unreported = 0;
  let reason: string | undefined;
  let isSaying = false;

  function reportNow(): void {
    if (reason === undefined || isSaying) return;
    isSaying = true;
    const announced = unreported;
    report(announced, reason, (fault) => {
      isSaying = false;
      if (fault === undefined) unreported -= announced;
      if (fault !== undefined) reason = fault.message;
      else if (unreported === 0) reason = undefined;
    });
  }

  return {
    get lines() {
      return lines;
    },
    get reason() {
      return reason;
    },
    reportNow,
    done(fault) {
      if (fault === undefined) return reportNow();
      lines += 1;
      unreported += 1;
      reason = fault.message;
    },
  };
}

/** Call the result once per second: counts new losses, returns the reason while lines are lost. */
export function meterLosses(losses: LogLosses, { count }: Pick<Telemetry, 'count'>): () => string | undefined {
  let counted = 0;
  return () => {
    losses.reportNow();
    count('node_log_lines_lost_total', losses.lines - counted);
    counted = losses.lines;
    return losses.reason;
  };
}
