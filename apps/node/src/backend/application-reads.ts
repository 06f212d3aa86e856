/** Entries and queries of applications, on the newest committed state. */
import type { ApplicationReads, ConvertOutcome, InstalledApplication, QueryOutcome } from '@slipstream/api';
import { sortedKeys } from '@slipstream/app/program';
import { EPOCH_KEY, QUERY_READS_MAX, type Question, readEpoch } from '@slipstream/execution';
import type { LedgerReader } from '@slipstream/ledger';
import { toHex } from '@slipstream/primitives';
import { height as asHeight, stateKeyOfEntry } from '@slipstream/types';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { type KnownEntries, type ReadInEpoch, readInRounds } from '../queries/rounds.ts';
import type { QueryRunner, RanRound } from '../queries/runner.ts';

interface ApplicationReadComponents {
  readonly inEpoch: ApplicationReads['inEpoch'];
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

const OVERLOADED = { type: 'overloaded', retryAfterMs: RETRY_AFTER_MS } as const;
const NOT_HERE = 'its artifact of this epoch is not at this node';
const TOO_WIDE = 'it reads too many entries, or others each time';

type Finished = Exclude<RanRound, { readonly type: 'missing' }>;
type Refused = Exclude<QueryOutcome, { readonly type: 'answer' }>;

/** Each read is of one block, and says whose epoch: at a switch of artifacts values and program belong together. */
export function createApplicationReads({ inEpoch, read, ledger, runner }: ApplicationReadComponents): ApplicationReads {
  let queries = 0;
  const readInEpoch: ReadInEpoch = async (keys) => {
    const { height, values } = await read([EPOCH_KEY.bytes, ...keys]);
    const { number } = readEpoch({ get: () => values[0] });
    return { height: asHeight(height), epoch: number, values: values.slice(1) };
  };

  /** @param of undefined epoch: the one of the state that is read */
  async function run(of: { readonly application: number; readonly epoch?: number }, question: Question) {
    if (queries >= QUERIES_MAX) return OVERLOADED;
    queries += 1;
    try {
      return await runInRounds(of, question);
    } finally {
      queries -= 1;
    }
  }

  async function runInRounds(
    { application, epoch }: { readonly application: number; readonly epoch?: number },
    question: Question,
  ) {
    const found = await readInRounds<Finished | Refused>(
      readInEpoch,
      async (known, present) => {
        const installed: InstalledApplication | undefined = (await inEpoch(epoch ?? present))[application];
        if (installed === undefined)
          return { value: { type: 'fault', reason: 'application-unknown', message: NOT_HERE } };
        const round = await runner.run({ application, artifact: toHex(installed.hash), question }, known);
        return round.type === 'missing' ? { missing: round.keys } : { value: round };
      },
      QUERY_ROUNDS,
    );
    return found ?? ({ type: 'fault', reason: 'out-of-units', message: TOO_WIDE } as const);
  }

  return {
    inEpoch,
    async entry(key) {
      const { values, ...at } = await readInEpoch([key]);
      return { value: values[0], ...at };
    },
    async entries(application, table, { after, limit, reverse }) {
      const keyOf = (key: Uint8Array) => stateKeyOfEntry(application, table.number, key);
      const found = await readInRounds(
        readInEpoch,
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
      const { value, ...at } = found;
      const items = value.slice(0, limit).map(({ key, value: stored = new Uint8Array(0) }) => ({ key, value: stored }));
      return { items, next: value.length > limit ? items.at(-1)?.key : undefined, ...at };
    },
    async query({ application, name, input }): Promise<QueryOutcome> {
      const ran = await run({ application }, { kind: 'query', name, input });
      if ('type' in ran) return ran;
      const { value, ...at } = ran;
      return value.type === 'answer' ? { type: 'answer', output: value.output, ...at } : refusalOf(value);
    },
    async converted({ application, epoch, table, values }): Promise<ConvertOutcome> {
      const ran = await run({ application, epoch }, { kind: 'convert', table, values });
      if ('type' in ran) return ran;
      return ran.value.type === 'converted' ? ran.value : refusalOf(ran.value);
    },
    events: ({ application, event, from, limit }) => ledger.events({ application, event }, { from, limit }),
  };
}

function refusalOf(ended: Finished | Refused): Refused {
  switch (ended.type) {
    case 'failed':
    case 'overloaded':
      return ended;
    case 'fault':
      return { type: 'fault', reason: 'reason' in ended ? ended.reason : ended.code, message: ended.message };
    case 'lost':
      return { type: 'fault', reason: 'out-of-compute', message: 'it takes too long' };
    case 'answer':
    case 'converted':
      throw new Error('an application answered another question than it was asked');
    default:
      return ended satisfies never;
  }
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
