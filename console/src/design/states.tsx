/** Each says what to expect or to do. */
import './states.css';
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
