/** Reports and instructions of a two-faced leader, in its home folder. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProposalKind } from '@slipstream/types';

/** One JSON line per kind of proposal and view. */
export const DEEDS = 'two-faced-deeds';
/** A `Manner`; missing: `split`. */
export const MANNER = 'two-faced';

/** Each peer sees one of two blocks, or all see both. */
export type Manner = 'split' | 'to-all';

export interface Deed {
  readonly view: number;
  readonly kind: ProposalKind;
  readonly shown: 'rival to one' | 'rival to others' | 'both to all';
  /** Whether any peer got its notarize vote. */
  readonly votes: 'for both' | 'withheld';
  /** Ids of its node's block and of the rival. */
  readonly blocks: readonly string[];
}

/** Oldest first. */
export async function deedsOf(home: string): Promise<readonly Deed[]> {
  const text = await readFile(join(home, DEEDS), 'utf8').catch(() => '');
  const lines = text.split('\n').slice(0, -1); // the last line may be incomplete
  return lines.map((line): Deed => JSON.parse(line));
}

export async function askFor(home: string, manner: Manner): Promise<void> {
  await writeFile(join(home, MANNER), manner);
}
