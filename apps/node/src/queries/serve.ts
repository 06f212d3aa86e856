import type { RunQuery } from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import type { QuerySide, RoundHead } from './wire.ts';

type Run = QuerySide['calls']['run'];

export function serveQueries(run: RunQuery) {
  return async ({ head, bytes }: ThreadMessage<Run[0]>): Promise<ThreadMessage<RoundHead>> => {
    const { application, name, absent } = head;
    const [input = new Uint8Array(0), ...rest] = bytes;
    const round = run({ application, name, input, known: knownOf(rest, absent) });
    switch (round.type) {
      case 'missing':
        return messageOf({ type: round.type }, round.keys);
      case 'answer':
        return messageOf({ type: round.type }, [round.output]);
      default:
        return messageOf({ ...round });
    }
  };
}

/** Keys, then the values of those that have one. */
function knownOf(bytes: readonly Uint8Array[], absent: readonly number[]) {
  const missing = new Set(absent);
  const count = (bytes.length + missing.size) / 2;
  const values = bytes.slice(count);
  let next = 0;
  return new Map(bytes.slice(0, count).map((key, i) => [toHex(key), missing.has(i) ? undefined : values[next++]]));
}
