/** One number with an explained name and details. Its height never changes. */
import './stat.css';
import type { ReactNode } from 'react';
import type { Measure } from './format.ts';

interface StatProps {
  readonly label: ReactNode;
  readonly value: Measure;
  readonly more?: ReactNode;
}

export function Stat({ label, value, more }: StatProps) {
  return (
    <div className="stat">
      <div className="stat-label">{label}</div>
      <div className="stat-value">
        {value.text}
        {value.unit === '' ? null : <span className="stat-unit">{value.unit}</span>}
      </div>
      <div className="stat-more">{more}</div>
    </div>
  );
}

/** One name and value per line, so that nothing wraps. */
export function Pairs({ pairs }: { readonly pairs: readonly (readonly [name: string, value: string])[] }) {
  return (
    <span className="stat-pairs">
      {pairs.map(([name, value]) => (
        <span key={name} className="stat-pair">
          <span className="stat-pair-name">{name}</span> <b>{value}</b>
        </span>
      ))}
    </span>
  );
}
