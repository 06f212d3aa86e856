/** Entries of an application's genesis, as another thread would have them. */
import { toHex } from '@slipstream/primitives';
import { applicationWrites, type QueryRound, type RunQuery } from '../src/index.ts';
import { freshApplications, type TestApplication } from './application-builders.ts';
import { genesis } from './builders.ts';

/** By hexadecimal key. */
export type Stored = Map<string, Uint8Array>;

export function storedGenesis(application: TestApplication, input: unknown): Stored {
  const start = { ...genesis({}), applications: [application.inGenesis(input)] };
  const writes = applicationWrites(start, freshApplications([application]));
  return new Map(writes.map(({ key, value }) => [toHex(key), value as Uint8Array]));
}

export type Finished = Exclude<QueryRound, { readonly type: 'missing' }> & { readonly rounds: number };

/** Of the first application. */
export function runOn(stored: Stored, run: RunQuery, name: string, input: Uint8Array): Finished {
  const known = new Map<string, Uint8Array | undefined>();
  for (let rounds = 1; ; rounds++) {
    const round = run({ application: 0, name, input, known });
    if (round.type !== 'missing') return { ...round, rounds };
    for (const key of round.keys) known.set(toHex(key), stored.get(toHex(key)));
  }
}
