/** A titled part of a view: a region that a screen reader can jump to. */
import './panel.css';
import { type ReactNode, useId } from 'react';

interface PanelProps {
  readonly title: string;
  /** What is shown, over which time. */
  readonly note?: ReactNode;
  readonly choice?: ReactNode;
  /** For tables: the body reaches the edges. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Panel({ title, note, choice, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        <div className="panel-aside">
          {note === undefined ? null : <div className="panel-note">{note}</div>}
          {choice}
        </div>
      </header>
      <div className="panel-body" data-flush={flush || undefined}>
        {children}
      </div>
    </section>
  );
}
