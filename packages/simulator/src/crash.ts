/** What a power cut does to what was written and not synced. */
export type CrashMode =
  /** All of it survives: only the process died, the machine did not. */
  | 'lose-none'
  /** None of it survives. */
  | 'lose-all'
  /** A random number of the oldest writes survive, the next one in part. */
  | 'prefix'
  /** Each sector of each write survives or not, on its own; so does each change of a folder. */
  | 'subset';

export const CRASH_MODES: readonly CrashMode[] = ['lose-none', 'lose-all', 'prefix', 'subset'];
