/** Links to the views. Only development chains have "Try it". */
import './navigation.css';
import { useEffect, useRef } from 'react';
import { useStream } from '../stream/use-stream.ts';
import { href, VIEW_NAMES, type ViewName } from './router.ts';
import { VIEWS } from './views.tsx';

export function Navigation({ current }: { readonly current: ViewName }) {
  const list = useRef<HTMLUListElement>(null);
  // On low screens the list scrolls.
  useEffect(() => {
    const link = list.current?.querySelector(`a[href="${href(current)}"]`);
    link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  const development = useStream(({ status }) => status?.development ?? true);
  return (
    <nav className="nav" aria-label="Views">
      <ul ref={list}>
        {VIEW_NAMES.filter((name) => name !== 'try' || development).map((name) => (
          <li key={name}>
            <a href={href(name)} aria-current={name === current ? 'page' : undefined}>
              <svg
                width="20"
                height="20"
                viewBox="0 0 20 20"
                fill="none"
                stroke="currentColor"
                strokeWidth="1.7"
                strokeLinecap="round"
                strokeLinejoin="round"
                aria-hidden="true"
              >
                {VIEWS[name].icon}
              </svg>
              <span className="nav-long">{VIEWS[name].title}</span>
              <span className="nav-short">{VIEWS[name].short}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
