/** Entries and queries of applications, on the newest committed state. */
import type { ApplicationReads, QueryOutcome } from '@slipstream/api';
import { sortedKeys } from '@slipstream/app/program';
import { QUERY_READS_MAX } from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import { toHex } from '@slipstream/primitives';
import { height as asHeight, stateKeyOfEntry } from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { type KnownEntries, readInRounds } from '../queries/rounds.ts';
import type { QueryRunner, RanRound } from '../queries/runner.ts';

interface ApplicationReadComponents {
  readonly installed: ApplicationReads['installed'];
  readonly read: ReadStateValues;
  readonly ledger: Pick<LedgerReader, 'events'>;
  readonly runner: Pick<QueryRunner, 'run'>;
}

/** Queries at once: each waits for its turn of the thread, and for reads. */
const QUERIES_MAX = 32;
/** When there are more. */
const RETRY_AFTER_MS = 1_000;
const QUERY_ROUNDS = { roundsMax: 64, keysMax: 2 * QUERY_READS_MAX };
/** A page of 100 has at most 14 leaves. */
const PAGE_ROUNDS = { roundsMax: 32, keysMax: 512 };
/** Nodes of one round: a missing one, and those behind it. */
const NODES_AHEAD_MAX = 8;

const OVERLOADED: QueryOutcome = { type: 'overloaded', retryAfterMs: RETRY_AFTER_MS };
const TOO_WIDE = 'it reads too many entries, or others each time';

export function createApplicationReads({
  installed,
  read,
  ledger,
  runner,
}: ApplicationReadComponents): ApplicationReads {
  let queries = 0;

  async function ask(order: Parameters<ApplicationReads['query']>[0]): Promise<QueryOutcome> {
    const found = await readInRounds<Exclude<RanRound, { readonly type: 'missing' }>>(
      read,
      async (known) => {
        const round = await runner.run(order, known);
        return round.type === 'missing' ? { missing: round.keys } : { value: round };
      },
      QUERY_ROUNDS,
    );
    if (found === undefined) return { type: 'fault', reason: 'out-of-units', message: TOO_WIDE };
    const { height, value } = found;
    switch (value.type) {
      case 'answer':
        return { type: 'answer', output: value.output, height: asHeight(height) };
      case 'failed':
        return value;
      case 'fault':
        return { type: 'fault', reason: value.code, message: value.message };
      case 'lost':
        return { type: 'fault', reason: 'out-of-compute', message: 'it takes too long' };
      default:
        return value satisfies never;
    }
  }

  return {
    installed,
    async entry(key) {
      const { height, values } = await read([key]);
      return { value: values[0], height: asHeight(height) };
    },
    async entries(application, table, { after, limit, reverse }) {
      const keyOf = (key: Uint8Array) => stateKeyOfEntry(application, table.number, key);
      const found = await readInRounds(
        read,
        (known) => {
          // One more says whether there is a next page.
          const page = { after, limit: limit + 1, reverse };
          const { missing, keys } = scan(known, (node) => sortedKeys(table, (key) => node(keyOf(key)), page));
          if (missing.length > 0) return { missing };
          const unread = keys.map(keyOf).filter((key) => !known.has(toHex(key)));
          if (unread.length > 0) return { missing: unread };
          return { value: keys.map((key) => ({ key, value: known.get(toHex(keyOf(key)))?.value })) };
        },
        PAGE_ROUNDS,
      );
      if (found === undefined) throw new Error(`the state changed while ${table.name} was read`);
      const { height, value } = found;
      const items = value.slice(0, limit).map(({ key, value: stored = new Uint8Array(0) }) => ({ key, value: stored }));
      return { items, next: value.length > limit ? items.at(-1)?.key : undefined, height: asHeight(height) };
    },
    events: ({ application, event, from, limit }) => ledger.events({ application, event }, { from, limit }),
    async query(order) {
      if (queries >= QUERIES_MAX) return OVERLOADED;
      queries += 1;
      try {
        return await ask(order);
      } finally {
        queries -= 1;
      }
    },
  };
}

class EnoughMissing extends Error {}

/** What a scan found, unless it needs nodes that are not known. */
function scan(
  known: KnownEntries,
  find: (node: (key: Uint8Array) => Uint8Array | undefined | 'later') => readonly Uint8Array[],
): { readonly keys: readonly Uint8Array[]; readonly missing: readonly Uint8Array[] } {
  const missing: Uint8Array[] = [];
  const node = (key: Uint8Array) => {
    const entry = known.get(toHex(key));
    if (entry !== undefined) return entry.value;
    if (missing.push(key) === NODES_AHEAD_MAX) throw new EnoughMissing();
    return 'later' as const;
  };
  try {
    return { keys: find(node), missing };
  } catch (error) {
    if (!(error instanceof EnoughMissing)) throw error;
    return { keys: [], missing };
  }
}
