/** A long hexadecimal name, shortened; its title has the whole name, and a click copies it. */
import './hex.css';
import { useState } from 'react';
import { shortHex } from './format.ts';

interface HexProps {
  readonly value: string;
  readonly href?: string;
  /** For example "transaction id". */
  readonly what: string;
  readonly whole?: boolean;
}

const DONE_MS = 1_500;

export function Hex({ value, href, what, whole = false }: HexProps) {
  const [copied, setCopied] = useState(false);
  const text = whole ? value : shortHex(value);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), DONE_MS);
    } catch {
      // Not allowed on plain HTTP from other machines.
    }
  };
  return (
    <span className="hex">
      {href === undefined ? (
        <code className="hex-text" title={value}>
          {text}
        </code>
      ) : (
        <a className="mono hex-text" href={href} title={value}>
          {text}
        </a>
      )}
      <button type="button" className="hex-copy" onClick={copy} aria-label={copied ? `${what} copied` : `Copy ${what}`}>
        <svg
          width="13"
          height="13"
          viewBox="0 0 16 16"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.6"
          aria-hidden="true"
        >
          {copied ? <path d="m3 8.5 3.5 3.5L13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
        </svg>
      </button>
    </span>
  );
}
