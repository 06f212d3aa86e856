/** Each event goes into the event hash and to the checkers. */
import type { Lane } from '@slipstream/ports';
import type { CrashMode } from './crash.ts';
import type { DiskOperation } from './disk-calls.ts';

export type SimEvent =
  | { readonly type: 'timer'; readonly node: string }
  | {
      readonly type: 'frame-sent' | 'frame-delivered' | 'frame-lost';
      readonly from: string;
      readonly to: string;
      readonly lane: Lane;
      readonly frame: Uint8Array;
    }
  | { readonly type: 'connected' | 'disconnected'; readonly from: string; readonly to: string }
  | {
      readonly type: 'disk';
      readonly node: string;
      readonly operation: DiskOperation;
      readonly path: string;
      readonly bytes: number;
    }
  | { readonly type: 'store'; readonly node: string; readonly operations: number; readonly synced: boolean }
  | { readonly type: 'started'; readonly node: string; readonly incarnation: number }
  | { readonly type: 'crashed'; readonly node: string; readonly mode: CrashMode }
  | { readonly type: 'exited'; readonly node: string; readonly reason: string }
  /** Of the harness: `text` goes into the hash, `data` to the checkers only. */
  | {
      readonly type: 'note';
      readonly node: string;
      readonly name: string;
      readonly text: string;
      readonly data?: unknown;
    };
