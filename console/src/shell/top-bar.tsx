import './top-bar.css';
import { Badge } from '../design/badge.tsx';
import { count } from '../design/format.ts';
import { chooseTheme, useTheme } from '../design/theme.ts';
import { useHealth } from '../node/use-health.ts';
import { useStream } from '../stream/use-stream.ts';
import { connectionWords } from './connection-words.ts';
import { NodeSwitch } from './node-switch.tsx';
import { href } from './router.ts';

export function TopBar() {
  const status = useStream((snapshot) => snapshot.status);
  const connection = useStream((snapshot) => snapshot.connection);
  const { overall } = useHealth();
  const words = connectionWords(connection);
  return (
    <header className="bar">
      <a className="bar-mark" href={href('overview')} aria-label="Slipstream, overview">
        <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
          <path
            d="M4 18c6 0 7-9 13-9s6 5 11 5"
            fill="none"
            stroke="var(--accent)"
            strokeWidth="3.2"
            strokeLinecap="round"
          />
          <path
            d="M4 25c6 0 8-7 13-7s6 4 11 4"
            fill="none"
            stroke="var(--stage-final)"
            strokeWidth="2.4"
            strokeLinecap="round"
          />
        </svg>
        <span className="bar-word">Slipstream</span>
      </a>
      <div className="bar-node">
        <NodeSwitch name={status?.node.name ?? '…'} />
        {status === null ? null : (
          <span className="bar-chain soft small">
            {status.node.role === 'validator' ? `validator ${status.node.validator ?? ''}` : 'full node'} on{' '}
            {status.chain}
          </span>
        )}
      </div>
      <div className="bar-height">
        <span className="soft small bar-height-word">height </span>
        <b>{count(status?.height)}</b>
      </div>
      <Badge tone={overall.tone}>{overall.label}</Badge>
      <Badge tone={words.tone}>
        <span className="bar-connection">{words.short}</span>
      </Badge>
      <ThemeSwitch />
    </header>
  );
}

function ThemeSwitch() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      className="bar-theme"
      aria-label={`Use the ${other} theme`}
      onClick={() => chooseTheme(other)}
    >
      <svg
        width="18"
        height="18"
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        aria-hidden="true"
      >
        {theme === 'dark' ? (
          <path d="M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M4 16l1.4-1.4M14.6 5.4 16 4" />
        ) : (
          <path d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5Z" />
        )}
      </svg>
    </button>
  );
}
