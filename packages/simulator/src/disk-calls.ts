/** Calls of a simulated disk: counted, delayed, failed on demand, dropped when their process has died. */
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
  /** From 1 over the disk's life. */
  readonly index: number;
  readonly operation: DiskOperation;
  readonly path: string;
  /** Written; 0 for other calls. */
  readonly bytes: number;
}

/** The error of a call, if any. */
export type DiskFault = (call: DiskCall) => DiskErrorCode | undefined;

export interface DiskCallOptions {
  /** Virtual. Default: 0.1 ms for syncs, none for the rest. */
  readonly latencyMs?: (call: DiskCall) => number;
  /** Undefined: every call returns at once. */
  readonly schedule?: (delayMs: number, action: () => void) => void;
  /** Before the call takes effect. */
  readonly observe?: (call: DiskCall) => void;
}

/** Of a small append on real machines. */
const SYNC_MS = 0.1;

function defaultLatencyMs({ operation }: DiskCall): number {
  return operation === 'sync' || operation === 'sync-directory' ? SYNC_MS : 0;
}

interface CallDetails {
  readonly bytes?: number;
  /** Instead of `effect` on an injected fault: the part that a failed call may have done. */
  readonly onFault?: (random: SeededRandom) => void;
}

/** `effect` runs at once, `completion` when the call returns. */
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
      if (!lifetime.alive) return promise; // its process has ended
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
