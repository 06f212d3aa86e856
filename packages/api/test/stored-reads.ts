/** Applications as a node reads them, on entries in memory: what blocks of each epoch run, and queries in realms of this process. */
import { sortedKeys } from '@slipstream/app/program';
import { toHex } from '@slipstream/primitives';
import { type GenesisHash, type Height, stateKeyOfEntry } from '@slipstream/types';
import type { TestApplication } from '../../execution/test/application-builders.ts';
import { type Finished, freshQueries, runQuestion, type Stored } from '../../execution/test/application-state.ts';
import type { ApplicationReads, InstalledApplications, QueryOutcome } from '../src/index.ts';

interface StoredReadOptions {
  readonly genesisHash: GenesisHash;
  readonly height: Height;
  /** Of the state. Default: the newest of `byEpoch`. */
  readonly epoch?: number;
}

/** @param byEpoch in the order of genesis; of the first one there are entries */
export function storedReads(
  stored: Stored,
  byEpoch: readonly (readonly TestApplication[])[],
  { genesisHash, height, epoch = byEpoch.length - 1 }: StoredReadOptions,
): ApplicationReads {
  const at = { height, epoch };
  const lists: readonly InstalledApplications[] = byEpoch.map((all) => all.map((one) => one));

  function asked(inEpoch: number, question: Parameters<typeof runQuestion>[2]): Finished {
    const [application] = byEpoch[inEpoch] as readonly [TestApplication];
    return runQuestion(stored, freshQueries(application, genesisHash), question);
  }

  return {
    inEpoch: async (of) => lists[of] ?? [],
    entry: async (key) => ({ value: stored.get(toHex(key)), ...at }),
    async entries(application, table, { after, limit, reverse }) {
      const read = (key: Uint8Array) => stored.get(toHex(stateKeyOfEntry(application, table.number, key)));
      const keys = sortedKeys(table, read, { after, limit: limit + 1, reverse });
      const items = keys.slice(0, limit).map((key) => ({ key, value: read(key) as Uint8Array }));
      return { items, next: keys.length > limit ? items.at(-1)?.key : undefined, ...at };
    },
    async query({ name, input }) {
      const ended = asked(epoch, { kind: 'query', name, input });
      return ended.type === 'answer' ? { type: 'answer', output: ended.output, ...at } : refusalOf(ended);
    },
    events: async () => ({ events: [], next: { height: height + 1, index: 0, position: 0 }, more: false, height }),
    async converted({ epoch: of, table, values }) {
      const ended = asked(of, { kind: 'convert', table, values });
      return ended.type === 'converted' ? ended : refusalOf(ended);
    },
  };
}

function refusalOf(ended: Finished): Exclude<QueryOutcome, { readonly type: 'answer' }> {
  if (ended.type === 'failed') return ended;
  if (ended.type !== 'fault') throw new Error(`an application answered with ${ended.type}`);
  return { type: 'fault', reason: ended.code, message: ended.message };
}
