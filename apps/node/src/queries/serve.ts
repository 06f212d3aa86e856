import type { Question, RunQuery } from '@slipstream/execution';
import { fromHex, toHex } from '@slipstream/primitives';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import type { QuerySide, RoundHead } from './wire.ts';

type Run = QuerySide['calls']['run'];

export function serveQueries(run: RunQuery) {
  return async ({ head, bytes }: ThreadMessage<Run[0]>): Promise<ThreadMessage<RoundHead>> => {
    const { application, artifact, given, absent } = head;
    const known = knownOf(bytes.slice(given), absent);
    const question = questionOf(head, bytes.slice(0, given));
    const round = run({ application, artifact: fromHex(artifact), question, known });
    switch (round.type) {
      case 'missing':
        return messageOf({ type: round.type }, round.keys);
      case 'answer':
        return messageOf({ type: round.type }, [round.output]);
      case 'converted':
        return messageOf({ type: round.type }, round.values);
      default:
        return messageOf({ ...round });
    }
  };
}

function questionOf(head: Run[0], given: readonly Uint8Array[]): Question {
  if ('table' in head) return { kind: 'convert', table: head.table as number, values: given };
  return { kind: 'query', name: head.name as string, input: given[0] ?? new Uint8Array(0) };
}

/** Keys, then the values of those that have one. */
function knownOf(bytes: readonly Uint8Array[], absent: readonly number[]) {
  const missing = new Set(absent);
  const count = (bytes.length + missing.size) / 2;
  const values = bytes.slice(count);
  let next = 0;
  return new Map(bytes.slice(0, count).map((key, i) => [toHex(key), missing.has(i) ? undefined : values[next++]]));
}
