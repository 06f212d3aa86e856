/** The files that a store reads, and its verdict on a damaged one. */
import type { Damage } from './damage.ts';
import type { Files } from './folder.ts';
import type { Verdict } from './verdict.ts';

export interface Case {
  readonly path: string;
  readonly damage: Damage;
  /** All files, with the damage. */
  readonly files: Files;
}

export interface StoreUnderTest {
  judge(damaged: Case): Promise<Verdict>;
}

/** By path below the data folder; rows of the report. LevelDB's LOCK is empty. */
export const KINDS = [
  ['state log', /^state\/.*\.log$/],
  ['state journal', /^state\/.*\.journal$/],
  ['snapshot index', /^snapshots\/.*\/index$/],
  ['snapshot log', /^snapshots\/.*\.log$/],
  ['write-ahead log', /^wal\//],
  ['sign state', /^sign-state\.json$/],
  ['ledger table', /^ledger\/.*\.ldb$/],
  ['ledger log', /^ledger\/.*\.log$/],
  ['ledger manifest', /^ledger\/(MANIFEST-|CURRENT)/],
  ['ledger seals', /^ledger\/seals/],
  ['ledger notes', /^ledger\/LOG/],
  ['block file', /^block-files\//],
  ['chunk file', /^chunk-files\//],
  ['chunk index table', /^chunks\/.*\.ldb$/],
  ['chunk index log', /^chunks\/.*\.log$/],
  ['chunk index manifest', /^chunks\/(MANIFEST-|CURRENT)/],
  ['chunk index seals', /^chunks\/seals/],
  ['recording', /^recordings\//],
  ['audit log', /^audit\.jsonl/],
] as const;
export type Kind = (typeof KINDS)[number][0];

export function kindOf(path: string): Kind | undefined {
  return KINDS.find(([, pattern]) => pattern.test(path))?.[0];
}
