/** Queries the node when the question changes; late answers are dropped. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { explain } from './client.ts';
import { type Poll, startPoll } from './poll.ts';

export type Answer<T> =
  | { readonly type: 'loading' }
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown; readonly reason: string };

export interface Query<T> {
  readonly answer: Answer<T>;
  /** The shown value stays until the new one arrives. */
  readonly again: () => void;
}

interface Repetition {
  readonly everyMs?: number | undefined;
  /** Another value repeats the question soon. */
  readonly version?: number;
}

/** An equal question is not sent twice. `repetition` repeats it; the value stays meanwhile, also when an answer fails. */
export function useQuery<T>(
  question: string,
  ask: (signal: AbortSignal) => Promise<T>,
  { everyMs, version }: Repetition = {},
): Query<T> {
  const repeats = everyMs !== undefined || version !== undefined;
  const poll = useRef<Poll>(undefined);
  const seen = useRef(version);
  const [held, setHeld] = useState<{ readonly question: string; readonly answer: Answer<T> }>();
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the question stands for what is asked; a round asks it again
  useEffect(() => {
    const abort = new AbortController();
    const run = async () => {
      try {
        const value = await ask(abort.signal);
        if (!abort.signal.aborted) setHeld({ question, answer: { type: 'done', value } });
      } catch (error) {
        if (abort.signal.aborted) return;
        setHeld((before) => {
          const keep = repeats && before?.question === question && before.answer.type === 'done';
          return keep ? before : { question, answer: { type: 'failed', error, reason: explain(error) } };
        });
      }
    };
    const started = startPoll(run, { everyMs, timers });
    poll.current = started;
    return () => {
      started.stop();
      abort.abort();
    };
  }, [question, round, everyMs]);

  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    poll.current?.refresh();
  }, [version]);

  return { answer: held?.question === question ? held.answer : LOADING, again };
}

const timers = {
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const LOADING = { type: 'loading' } as const;
