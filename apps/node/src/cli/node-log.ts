/** Where a node's log goes: JSON lines for machines, short lines for a person who watches. */
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Terminal } from './terminal.ts';

export interface NodeLogOptions {
  readonly level: string;
  readonly name: string;
  readonly pretty: boolean;
}

export function createNodeLog({ level, name, pretty }: NodeLogOptions, terminal: Pick<Terminal, 'err'>): Logger {
  const destination: DestinationStream = {
    write: (line) => terminal.err(pretty ? shortLine(line) : line.trimEnd()),
  };
  return pino({ level, base: { node: name }, formatters: { level: (label) => ({ level: label }) } }, destination);
}

const CLOCK_START = 11;
const CLOCK_END = 23;
/** Longer values (signatures, digests) say little to a person. */
const VALUE_CHARACTERS_MAX = 80;

/** `12:00:01.250 warn  peer.blocked reason=invalid-signature` */
function shortLine(line: string): string {
  const { level, time, node: _node, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(Number(time)).toISOString().slice(CLOCK_START, CLOCK_END);
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${shorten(value)}`);
  return [clock, String(level).padEnd(5), String(msg ?? ''), ...rest].join(' ');
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= VALUE_CHARACTERS_MAX ? text : `${text.slice(0, VALUE_CHARACTERS_MAX)}...`;
}
