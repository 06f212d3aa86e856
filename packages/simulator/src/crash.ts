/** What survives of unsynced writes. */
export type CrashMode =
  /** All: only the process died. */
  | 'lose-none'
  | 'lose-all'
  /** A random number of the oldest, and part of the next. */
  | 'prefix'
  /** Each sector of each write, and each change of a folder, or not. */
  | 'subset';

export const CRASH_MODES: readonly CrashMode[] = ['lose-none', 'lose-all', 'prefix', 'subset'];
