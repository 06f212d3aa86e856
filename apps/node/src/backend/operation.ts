/**
 * What an operator does to the node itself: sets the log level, and drains it.
 *
 *   drain --> submissions are refused, /readyz is 503 --> nothing pending, or the deadline --> the process ends, if requested
 */
import type { DrainRequest, Operation, SubmitOutcome } from '@slipstream/api';
import type { Clock, Telemetry } from '@slipstream/ports';
import type { DrainState, LogLevelName } from '@slipstream/schema';

export interface OperationComponents {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly logging: { level(): Promise<LogLevelName>; setLevel(level: LogLevelName): Promise<void> };
  /** Accepted here and not ended. */
  readonly pending: () => number;
  readonly finish: () => void;
}

export interface NodeOperation {
  readonly operation: Operation;
  /** Adds the drain to a report: a draining node is not ready. */
  withDrain<T extends { readonly ready: boolean }>(reported: T): T & { readonly draining: boolean };
  refusal(): SubmitOutcome | undefined;
  stop(): void;
}

interface Draining {
  readonly sinceMs: number;
  readonly stops: boolean;
  readonly deadlineMs: number;
  /** Monotonic: the wall clock may be set meanwhile. */
  readonly endsMs: number;
}

const POLL_MS = 100;

export function createNodeOperation(components: OperationComponents): NodeOperation {
  const { clock, telemetry, logging, pending, finish } = components;
  let draining: Draining | undefined;
  let cancelCheck = () => {};
  telemetry.gauge('node_draining', 0);

  function state(): DrainState {
    return {
      draining: draining !== undefined,
      sinceMs: draining?.sinceMs ?? null,
      pending: pending(),
      stops: draining?.stops ?? false,
      deadlineMs: draining?.stops ? draining.deadlineMs : null,
    };
  }

  function poll(): void {
    if (!draining?.stops) return;
    const left = pending();
    if (left === 0 || clock.monotonicMs() >= draining.endsMs) {
      telemetry.log(left === 0 ? 'info' : 'warn', 'the node has drained and stops', { pending: left });
      return finish();
    }
    cancelCheck = clock.after(POLL_MS, poll);
  }

  return {
    operation: {
      logLevel: () => logging.level(),
      setLogLevel: (level) => logging.setLevel(level),
      drainState: async () => state(),
      async drain({ stop, deadlineMs }: DrainRequest) {
        const nowMs = clock.wallMs();
        draining = {
          sinceMs: draining?.sinceMs ?? nowMs,
          stops: stop,
          deadlineMs: nowMs + deadlineMs,
          endsMs: clock.monotonicMs() + deadlineMs,
        };
        telemetry.gauge('node_draining', 1);
        cancelCheck();
        cancelCheck = clock.after(POLL_MS, poll); // the answer leaves before the process ends
        return state();
      },
      async undrain() {
        draining = undefined;
        cancelCheck();
        telemetry.gauge('node_draining', 0);
        return state();
      },
    },
    withDrain(reported) {
      const isDraining = draining !== undefined;
      return { ...reported, ready: reported.ready && !isDraining, draining: isDraining };
    },
    refusal() {
      if (draining === undefined) return undefined;
      return { type: 'not-ready', detail: 'The node drains, an operator asked for that: send to another one.' };
    },
    stop: () => cancelCheck(),
  };
}
