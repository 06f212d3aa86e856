/** Calls of a simulated disk: counted, delayed, failed on demand, and dropped when the process that made them has died. */
import { DiskError, type DiskErrorCode } from '@slipstream/ports';
import type { Lifetime } from './lifetime.ts';
import type { SeededRandom } from './random.ts';

export type DiskOperation =
  | 'open'
  | 'list'
  | 'size'
  | 'read'
  | 'write'
  | 'truncate'
  | 'sync'
  | 'close'
  | 'rename'
  | 'link'
  | 'remove'
  | 'make-directory'
  | 'remove-directory'
  | 'sync-directory';

export interface DiskCall {
  /** From 1 on, over the disk's life. */
  readonly index: number;
  readonly operation: DiskOperation;
  readonly path: string;
  /** Bytes written; 0 for other calls. */
  readonly bytes: number;
}

/** Decides whether a call fails, and with what. */
export type DiskFault = (call: DiskCall) => DiskErrorCode | undefined;

export interface DiskCallOptions {
  /** How long a call takes; undefined takes no virtual time. Default: 0.1 ms for syncs, none for the rest. */
  readonly latencyMs?: (call: DiskCall) => number;
  /** Runs `action` after virtual time; without it every call returns at once. */
  readonly schedule?: (delayMs: number, action: () => void) => void;
  /** Hears of every call as it is made. */
  readonly observe?: (call: DiskCall) => void;
}

/** What this project's machines measure for an fdatasync of a small append. */
const SYNC_MS = 0.1;

function defaultLatencyMs({ operation }: DiskCall): number {
  return operation === 'sync' || operation === 'sync-directory' ? SYNC_MS : 0;
}

interface CallDetails {
  readonly bytes?: number;
  /** Runs instead of `effect` when the call fails by injection: what it may have done all the same. */
  readonly onFault?: (random: SeededRandom) => void;
}

/** Makes a call: `effect` at once, `completion` when it returns. */
export type MakeCall = <T>(
  operation: DiskOperation,
  path: string,
  effect: () => T,
  completion?: () => void,
  details?: CallDetails,
) => Promise<T>;

interface DiskCalls {
  of(lifetime: Lifetime): MakeCall;
  failWhen(fault: DiskFault | undefined): void;
  made(): number;
}

export function createDiskCalls(options: DiskCallOptions, random: SeededRandom): DiskCalls {
  const { latencyMs = defaultLatencyMs, schedule, observe } = options;
  let fault: DiskFault | undefined;
  let made = 0;

  function of(lifetime: Lifetime): MakeCall {
    return (operation, path, effect, completion, { bytes = 0, onFault } = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof effect>>();
      if (!lifetime.alive) return promise; // the caller is dead: it never hears of it
      made++;
      const call: DiskCall = { index: made, operation, path, bytes };
      observe?.(call);
      const code = fault?.(call);
      let finish: () => void;
      if (code !== undefined) {
        onFault?.(random);
        finish = () => reject(new DiskError(code, `${operation} of ${path} failed: ${code} (injected)`, { path }));
      } else {
        try {
          const value = effect();
          finish = () => {
            completion?.();
            resolve(value);
          };
        } catch (cause) {
          finish = () => reject(cause);
        }
      }
      const delayMs = latencyMs(call);
      if (schedule === undefined || delayMs <= 0) finish();
      else schedule(delayMs, () => lifetime.whenRunning(finish));
      return promise;
    };
  }

  return {
    of,
    failWhen(next) {
      fault = next;
    },
    made: () => made,
  };
}
