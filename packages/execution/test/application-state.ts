/** Entries of an application's genesis, as another thread would have them. */
import { decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { toHex } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { createQueries, genesisBatch, type Query, type QueryRound, type Question } from '../src/index.ts';
import { freshApplications, type TestApplication } from './application-builders.ts';
import { genesis } from './builders.ts';

/** By hexadecimal key. */
export type Stored = Map<string, Uint8Array>;

export function storedGenesis(application: TestApplication, input: unknown): Stored {
  const start = { ...genesis({}), applications: [application.inGenesis(input)] };
  const writes = genesisBatch(start, () => new Uint8Array(32), freshApplications([application]));
  return new Map(writes.map(({ key, value }) => [toHex(key), value as Uint8Array]));
}

export type Finished = Exclude<QueryRound, { readonly type: 'missing' }> & { readonly rounds: number };

type RunQuestion = (query: Omit<Query, 'artifact'>) => QueryRound;

/** Of this application alone. */
export function freshQueries({ artifact, hash }: TestApplication, genesisHash: GenesisHash): RunQuestion {
  const decoded = decodeArtifact(artifact);
  if (!decoded.ok) throw decoded.error;
  const run = createQueries(() => loadProgram(decoded.value), genesisHash);
  return (query) => run({ artifact: hash, ...query });
}

/** Of the first application. */
export function runOn(stored: Stored, run: RunQuestion, name: string, input: Uint8Array): Finished {
  return runQuestion(stored, run, { kind: 'query', name, input });
}

export function runQuestion(stored: Stored, run: RunQuestion, question: Question): Finished {
  const known = new Map<string, Uint8Array | undefined>();
  for (let rounds = 1; ; rounds++) {
    const round = run({ application: 0, question, known });
    if (round.type !== 'missing') return { ...round, rounds };
    for (const key of round.keys) known.set(toHex(key), stored.get(toHex(key)));
  }
}
