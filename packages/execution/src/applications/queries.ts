/**
 * Queries of applications, and conversions of stored values, outside the chain: on entries that another thread holds.
 *
 *   question --> run on the known entries --a key is unknown--> its keys, to be fetched --> run again --> the answer
 *
 * An unknown entry reads as absent, and the run goes on, so that one round finds several. What such a run answers counts for nothing. A
 * query changes nothing: it may put no value, emit no event and move no coins.
 */
import type { CallFailure } from '@slipstream/app/program';
import { QUERY_TICKS_MAX } from '@slipstream/app-realm/limits';
import { toHex } from '@slipstream/primitives';
import type { FailureCode, GenesisHash } from '@slipstream/types';
import { decodeAccount } from '../account-value.ts';
import type { Scratch } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';
import type { ApplicationProgram } from './applications.ts';
import { createCallHost } from './call-host.ts';
import { attempt } from './ended.ts';
import { type CallRefused, refusal } from './usage.ts';

export type Question =
  /** `input`: in the form of the query. */
  | { readonly kind: 'query'; readonly name: string; readonly input: Uint8Array }
  /** Values of earlier versions of the table, for its present one. */
  | { readonly kind: 'convert'; readonly table: number; readonly values: readonly Uint8Array[] };

export interface Query {
  /** In the order of genesis. */
  readonly application: number;
  /** Hash: whose program runs. */
  readonly artifact: Uint8Array;
  readonly question: Question;
  /** By the text of the key. */
  readonly known: ReadonlyMap<string, Uint8Array | undefined>;
}

export type QueryRound =
  /** Not known yet; each once. */
  | { readonly type: 'missing'; readonly keys: readonly Uint8Array[] }
  | { readonly type: 'answer'; readonly output: Uint8Array }
  | { readonly type: 'converted'; readonly values: readonly Uint8Array[] }
  /** By the rules of the application: a code of its own. */
  | { readonly type: 'failed'; readonly code: string }
  /** Otherwise; `message` is for people. */
  | { readonly type: 'fault'; readonly code: FailureCode; readonly message: string };

/** Keys that a query reads. */
export const QUERY_READS_MAX = 1_000;

const LIMITS = { reads: QUERY_READS_MAX, writes: 0, bytes: 0 };
const NO_SENDER = { scheme: 'ed25519', bytes: new Uint8Array(32) } as const;

export type RunQuery = (query: Query) => QueryRound;

/**
 * @param programOf the program of an artifact, in a realm that runs nothing else from here on; undefined: it is not here
 *
 * What it returns throws RangeError for an artifact, a query or a table that there is not.
 */
export function createQueries(
  programOf: (artifact: Uint8Array) => ApplicationProgram | undefined,
  genesisHash: GenesisHash,
): RunQuery {
  const runners = new Map<string, Runner>();
  return ({ application, artifact, ...query }) => {
    const name = `${application} ${toHex(artifact)}`;
    const runner = runners.get(name) ?? made(application, artifact);
    runners.set(name, runner);
    return runner(query);
  };

  function made(application: number, artifact: Uint8Array): Runner {
    const program = programOf(artifact);
    if (program === undefined) throw new RangeError(`there is no artifact ${toHex(artifact)}`);
    return createRunner(program, application, genesisHash);
  }
}

type Runner = (query: Pick<Query, 'question' | 'known'>) => QueryRound;

function createRunner(program: ApplicationProgram, number: number, genesisHash: GenesisHash): Runner {
  const host = createCallHost(number, program);
  program.use(host);
  return ({ question, known }) => {
    const { scratch, missing } = knownEntries(known);
    host.begin({ scratch, caller: { sender: NO_SENDER, genesisHash, allowance: undefined }, limits: LIMITS });
    program.setTicks(QUERY_TICKS_MAX);
    const ended = attempt(() =>
      question.kind === 'query' ? program.query(question.name, question.input) : converted(program, question),
    );
    if (missing.size > 0) return { type: 'missing', keys: [...missing.values()] };
    if ('values' in ended) return { type: 'converted', values: ended.values };
    if ('output' in ended) return { type: 'answer', output: ended.output };
    if ('code' in ended) return { type: 'failed', code: ended.code };
    if ('message' in ended) return { type: 'fault', code: 'application-fault', message: ended.message };
    const code = ended.status as FailureCode;
    return { type: 'fault', code, message: MESSAGES[code] ?? code };
  };
}

function converted(
  program: ApplicationProgram,
  { table, values }: Extract<Question, { readonly kind: 'convert' }>,
): CallFailure | { readonly status: 'success'; readonly values: readonly Uint8Array[] } {
  const all: Uint8Array[] = [];
  for (const value of values) {
    const result = program.convert(table, value);
    if (result.status !== 'success') return result;
    all.push(result.output);
  }
  return { status: 'success', values: all };
}

const MESSAGES: Partial<Readonly<Record<FailureCode, string>>> = {
  'bad-input': 'the input is not of its form',
  'out-of-units': `it reads more than ${QUERY_READS_MAX} keys, or changes the state`,
  'out-of-compute': `it takes more than ${QUERY_TICKS_MAX} ticks`,
  'application-fault': 'it does what only an action may do',
};

function knownEntries(known: Query['known']) {
  const missing = new Map<string, Uint8Array>();
  const get = ({ text, bytes }: StateKey): Uint8Array | undefined => {
    if (!known.has(text)) missing.set(text, bytes);
    return known.get(text);
  };
  const refuse = (): CallRefused => refusal('application-fault');
  const scratch: Scratch = {
    get,
    set() {
      throw refuse();
    },
    balance: (key) => decodeAccount(get(key)).balance,
    setBalance() {
      throw refuse();
    },
  };
  return { scratch, missing };
}
