/**
 * LevelDB's files by name. Source: github.com/google/leveldb, db/filename.cc.
 *
 *   000012.ldb        table: never changed once it is in use
 *   000013.log        log: append-only; a number is used once
 *   MANIFEST-000014   lists the tables in use: append-only; CURRENT names the newest
 */
type LevelFile = { readonly type: 'table' | 'log' | 'manifest'; readonly number: number };

const PATTERNS = [
  ['table', /^([0-9]+)\.ldb$/],
  ['log', /^([0-9]+)\.log$/],
  ['manifest', /^MANIFEST-([0-9]+)$/],
] as const;

export const CURRENT = 'CURRENT';
/** Ends in a line break. */
export const MANIFEST_IN_CURRENT = /^(MANIFEST-[0-9]+)\n$/;

/** Undefined: not LevelDB's, or damage is harmless (LOG, LOCK). */
export function levelFileOf(name: string): LevelFile | undefined {
  for (const [type, pattern] of PATTERNS) {
    const digits = pattern.exec(name)?.[1];
    if (digits !== undefined) return { type, number: Number(digits) };
  }
  return undefined;
}
