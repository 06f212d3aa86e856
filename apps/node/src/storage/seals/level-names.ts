/**
 * LevelDB's files by name. Source: github.com/google/leveldb, db/filename.cc.
 *
 *   000012.ldb        table: never changed once it is in use
 *   000013.log        log: only appended to; a number is used once
 *   MANIFEST-000014   which tables are in use: only appended to; CURRENT names the newest
 */
export type LevelFile = { readonly type: 'table' | 'log' | 'manifest'; readonly number: number };

const PATTERNS = [
  ['table', /^([0-9]+)\.ldb$/],
  ['log', /^([0-9]+)\.log$/],
  ['manifest', /^MANIFEST-([0-9]+)$/],
] as const;

export const CURRENT = 'CURRENT';
/** A line break ends it. */
export const MANIFEST_IN_CURRENT = /^(MANIFEST-[0-9]+)\n$/;

/** Undefined: a file whose damage harms nothing (LOG, LOCK), or none of LevelDB's. */
export function levelFileOf(name: string): LevelFile | undefined {
  for (const [type, pattern] of PATTERNS) {
    const digits = pattern.exec(name)?.[1];
    if (digits !== undefined) return { type, number: Number(digits) };
  }
  return undefined;
}
