/** One step of the journey: done with its time, current with its button, or to come. */
import type { ReactNode } from 'react';
import { duration } from '../../design/format.ts';

interface LegProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'done' | 'now' | 'later';
  readonly tookMs?: number | null;
  readonly children: ReactNode;
}

const STATE_WORDS = { done: 'done', now: 'next', later: 'later' } as const;

export function Leg({ number, title, state, tookMs = null, children }: LegProps) {
  return (
    <li className="leg" data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="leg-number" aria-hidden="true">
        {state === 'done' ? '✓' : number}
      </span>
      <div className="leg-body">
        <div className="leg-head">
          <h2>
            {title}
            <span className="hidden-label">, {STATE_WORDS[state]}</span>
          </h2>
          <span className="leg-time">{tookMs === null ? '' : duration(tookMs)}</span>
        </div>
        {children}
      </div>
    </li>
  );
}
