/**
 * Lines of the log that could not be written: counted, and said in the log once it is written again.
 *
 *   line --> written? --no--> lost + 1, reason
 *               \--yes, and losses are unsaid--> "lines of the log were lost" --> written? --yes--> no reason any more
 */
import type { Telemetry } from '@slipstream/ports';

export interface LogLosses {
  /** Since the start. */
  readonly lines: number;
  /** Why lines are lost; undefined while the log is written. */
  readonly reason: string | undefined;
  /** Says what was lost, if that is not said yet: a log that says little may be writable for long before its next line. */
  tryAgain(): void;
}

export interface LogWatch extends LogLosses {
  /** What became of a line. */
  done(fault?: Error): void;
}

/** What writes the line that tells of losses; `done` learns what became of it. */
export type SayLosses = (lines: number, reason: string, done: (fault?: Error) => void) => void;

export function watchLog(say: SayLosses): LogWatch {
  let lines = 0;
  let unsaid = 0;
  let reason: string | undefined;
  let isSaying = false;

  function tryAgain(): void {
    if (reason === undefined || isSaying) return;
    isSaying = true;
    const told = unsaid;
    say(told, reason, (fault) => {
      isSaying = false;
      if (fault === undefined) unsaid -= told;
      if (fault !== undefined) reason = fault.message;
      else if (unsaid === 0) reason = undefined;
    });
  }

  return {
    get lines() {
      return lines;
    },
    get reason() {
      return reason;
    },
    tryAgain,
    done(fault) {
      if (fault === undefined) return tryAgain();
      lines += 1;
      unsaid += 1;
      reason = fault.message;
    },
  };
}

/** The result, once a second: counts what was lost since, and returns why lines are lost. */
export function meterLosses(losses: LogLosses, { count }: Pick<Telemetry, 'count'>): () => string | undefined {
  let counted = 0;
  return () => {
    losses.tryAgain();
    count('node_log_lines_lost_total', losses.lines - counted);
    counted = losses.lines;
    return losses.reason;
  };
}
