/** Queries the node when the question changes; late answers are dropped. */
import { useCallback, useEffect, useState } from 'react';
import { explain } from './client.ts';

export type Answer<T> =
  | { readonly type: 'loading' }
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown; readonly reason: string };

export interface Query<T> {
  readonly answer: Answer<T>;
  /** The shown value stays until the new one arrives. */
  readonly again: () => void;
}

/** An equal question is not sent twice. `everyMs` repeats it. */
export function useQuery<T>(question: string, ask: (signal: AbortSignal) => Promise<T>, everyMs?: number): Query<T> {
  const [held, setHeld] = useState<{ readonly question: string; readonly answer: Answer<T> }>();
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the question stands for what is asked; a round asks it again
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      try {
        const value = await ask(abort.signal);
        if (!abort.signal.aborted) setHeld({ question, answer: { type: 'done', value } });
      } catch (error) {
        if (abort.signal.aborted) return;
        setHeld((before) => {
          const keep = everyMs !== undefined && before?.question === question && before.answer.type === 'done';
          return keep ? before : { question, answer: { type: 'failed', error, reason: explain(error) } };
        });
      }
      if (everyMs !== undefined && !abort.signal.aborted) timer = setTimeout(run, everyMs);
    };
    run();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [question, round, everyMs]);

  return { answer: held?.question === question ? held.answer : LOADING, again };
}

const LOADING = { type: 'loading' } as const;
