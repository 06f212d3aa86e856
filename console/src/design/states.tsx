/** Placeholders for empty, loading and failed states. Each says what to expect or to do. */
import './states.css';
import type { MalformedItem } from '@slipstream/schema';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="state" data-kind="empty">
      <p className="state-title">{title}</p>
      {children === undefined ? null : <p>{children}</p>}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="state" data-kind="loading" role="status">
      <p>Loading {what} …</p>
      <div className="state-pulse" aria-hidden="true" />
    </div>
  );
}

const SHOWN_MAX = 3;

/** Below a list: what the node sent in it that does not have its form. */
export function LeftOut({ malformed }: { readonly malformed: readonly MalformedItem[] }) {
  if (malformed.length === 0) return null;
  const shown = malformed.slice(0, SHOWN_MAX).map(({ item, fault }) => `item ${item}: ${fault}`);
  const more = malformed.length > SHOWN_MAX ? `, and ${malformed.length - SHOWN_MAX} more` : '';
  return (
    <p className="small soft" role="status">
      Malformed and left out: {shown.join('; ')}
      {more}
    </p>
  );
}

interface FailureProps {
  readonly title: string;
  readonly detail: string;
  readonly onRetry?: (() => void) | undefined;
}

export function Failure({ title, detail, onRetry }: FailureProps) {
  return (
    <div className="state" data-kind="error" role="alert">
      <p className="state-title">{title}</p>
      <p>{detail}</p>
      {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
