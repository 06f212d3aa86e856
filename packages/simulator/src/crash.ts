/** Effect of a power cut on unsynced writes. */
export type CrashMode =
  /** All survive: only the process died. */
  | 'lose-none'
  /** None survives. */
  | 'lose-all'
  /** A random number of the oldest writes survive, and part of the next one. */
  | 'prefix'
  /** Each sector of each write survives or not, independently; so does each change of a folder. */
  | 'subset';

export const CRASH_MODES: readonly CrashMode[] = ['lose-none', 'lose-all', 'prefix', 'subset'];
