/**
 * Lines of the log that could not be written:
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
  tryAgain(): void;
}

interface LogWatch extends LogLosses {
  done(fault?: Error): void;
}

/** `done` gets the outcome of the written line. */
type SayLosses = (lines: number, reason: string, done: (fault?: Error) => void) => void;

export function watchLog(say: SayLosses): LogWatch {
  let lines = 0;
  let unsaid = 0;
  let reason: string | undefined;
  let isSaying = false;

  function tryAgain(): void {
    if (reason === undefined || isSaying) return;
    isSaying = true;
    const announced = unsaid;
    say(announced, reason, (fault) => {
      isSaying = false;
      if (fault === undefined) unsaid -= announced;
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

/** Call the result once per second: counts new losses, returns the reason while lines are lost. */
export function meterLosses(losses: LogLosses, { count }: Pick<Telemetry, 'count'>): () => string | undefined {
  let counted = 0;
  return () => {
    losses.tryAgain();
    count('node_log_lines_lost_total', losses.lines - counted);
    counted = losses.lines;
    return losses.reason;
  };
}
