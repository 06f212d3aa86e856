/** A state in one word. Each tone has its own shape, so that colour is not the only sign. */
import './badge.css';
import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

interface BadgeProps {
  readonly tone: Tone;
  readonly children: ReactNode;
}

export function Badge({ tone, children }: BadgeProps) {
  return (
    <span className="badge" data-tone={tone}>
      <ToneMark tone={tone} />
      {children}
    </span>
  );
}

/** Disc: healthy. Triangle: needs attention. Square: unhealthy. Ring: neutral. */
export function ToneMark({ tone }: { readonly tone: Tone }) {
  return (
    <svg className="badge-mark" viewBox="0 0 10 10" aria-hidden="true">
      {markShape(tone)}
    </svg>
  );
}

function markShape(tone: Tone): ReactNode {
  switch (tone) {
    case 'good':
      return <circle cx="5" cy="5" r="3.6" fill="currentColor" />;
    case 'warn':
      return <path d="M5 .8 9.4 9H.6Z" fill="currentColor" />;
    case 'bad':
      return <rect x="1.2" y="1.2" width="7.6" height="7.6" rx="1" fill="currentColor" />;
    case 'info':
    case 'plain':
      return <circle cx="5" cy="5" r="3.2" fill="none" stroke="currentColor" strokeWidth="1.6" />;
    default:
      return tone satisfies never;
  }
}
