/**
 * Runs queries of applications in a thread of their own: the executor's and the API's are never waiting for one.
 *
 *   round --turn--> thread --in time--> what it found
 *                      \--not in time--> the thread ends; the next round starts another
 *
 * Ticks bound what a query does, and time bounds what no tick sees, such as the product of two huge integers.
 */

import { STACK_MIB } from '@slipstream/app-realm/limits';
import type { QueryRound, Question } from '@slipstream/execution';
import type { Clock, Telemetry } from '@slipstream/ports';
import { NO_HANDLERS, type NoSide } from '../executor/wire.ts';
import { type Channel, createChannel } from '../threads/channel.ts';
import { ThreadError } from '../threads/errors.ts';
import type { ThreadMessage } from '../threads/message.ts';
import { startThread, type Thread } from '../threads/thread.ts';
import type { KnownEntries } from './rounds.ts';
import { QUERY_QUEUES, type QuerySetting, type QuerySide, type RoundHead } from './wire.ts';

interface QueryOrder {
  /** In the order of genesis. */
  readonly application: number;
  /** Hexadecimal hash: whose program runs. */
  readonly artifact: string;
  readonly question: Question;
}

/** `lost`: it took too long, or its thread failed. */
export type RanRound = QueryRound | { readonly type: 'lost' };

export interface QueryRunner {
  /** One at a time, in the order of the calls. */
  run(order: QueryOrder, known: KnownEntries): Promise<RanRound>;
  /** From the next round on the artifacts are these. */
  replace(applications: QuerySetting['applications']): void;
  /** Idempotent. */
  stop(): Promise<void>;
}

/** A million ticks take some 5 ms. */
const ROUND_MS_MAX = 3_000;

interface Running {
  readonly thread: Thread;
  readonly channel: Channel<QuerySide>;
}

export function createQueryRunner(
  { clock, telemetry }: { readonly clock: Pick<Clock, 'after'>; readonly telemetry: Telemetry },
  { genesisHash, ...given }: QuerySetting,
  roundMsMax = ROUND_MS_MAX,
): QueryRunner {
  let { applications } = given;
  let running: Running | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  function start(): Running {
    const thread = startThread({
      name: 'queries',
      module: new URL('./query-main.ts', import.meta.url),
      setting: { applications, genesisHash },
      stackMib: STACK_MIB,
      onFailure: lose,
    });
    const channel = createChannel<QuerySide, NoSide>(
      { port: thread.port, handlers: NO_HANDLERS, onFault: lose },
      QUERY_QUEUES,
    );
    return { thread, channel };
  }

  function lose(reason: Error): void {
    const lost = running;
    running = undefined;
    telemetry.count('node_queries_lost', 1);
    telemetry.log('warn', 'a query of an application ended its thread', { reason: reason.message });
    lost?.channel.close(reason);
    void lost?.thread.end();
  }

  async function round(order: QueryOrder, known: KnownEntries): Promise<RanRound> {
    running ??= start();
    const { channel } = running;
    let cancel = () => {};
    try {
      await channel.call('load', { artifact: order.artifact });
      cancel = clock.after(roundMsMax, () =>
        lose(new ThreadError('failed', `${nameOf(order.question)} takes too long`)),
      );
      const { head, bytes } = packed(order, known);
      return roundOf(await channel.call('run', head, bytes));
    } catch (error) {
      if (running?.channel !== channel) return { type: 'lost' };
      throw error;
    } finally {
      cancel();
    }
  }

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = turn.then(act);
    turn = done.catch(() => {});
    return done;
  }

  async function stop(): Promise<void> {
    const stopped = running;
    running = undefined;
    stopped?.channel.close();
    await stopped?.thread.end();
  }

  return {
    run: (order, known) => inTurn(() => round(order, known)),
    replace(next) {
      applications = next;
      void inTurn(stop);
    },
    stop,
  };
}

function nameOf(question: Question): string {
  return question.kind === 'query' ? question.name : `reading table ${question.table}`;
}

function packed({ application, artifact, question }: QueryOrder, known: KnownEntries) {
  const entries = [...known.values()];
  const absent = entries.flatMap(({ value }, i) => (value === undefined ? [i] : []));
  const values = entries.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const given = question.kind === 'query' ? [question.input] : question.values;
  const asked = question.kind === 'query' ? { name: question.name } : { table: question.table };
  return {
    head: { application, artifact, ...asked, given: given.length, absent },
    bytes: [...given, ...entries.map(({ key }) => key), ...values],
  };
}

function roundOf({ head, bytes }: ThreadMessage<RoundHead>): QueryRound {
  switch (head.type) {
    case 'missing':
      return { type: 'missing', keys: bytes };
    case 'answer':
      return { type: 'answer', output: bytes[0] ?? new Uint8Array(0) };
    case 'converted':
      return { type: 'converted', values: bytes };
    default:
      return head as QueryRound;
  }
}
