/** The log of a node: JSON lines for machines, short lines for a terminal. */

import type { Terminal, WriteDone } from '@slipstream/command-line';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type LogLosses, watchLog } from '../telemetry/log-losses.ts';

interface NodeLogOptions {
  readonly level: string;
  readonly name: string;
  readonly pretty: boolean;
}

export interface NodeLog {
  readonly logger: Logger;
  readonly losses: LogLosses;
}

/** A failing log stops nothing. */
export function createNodeLog({ level, name, pretty }: NodeLogOptions, terminal: Pick<Terminal, 'err'>): NodeLog {
  let done: WriteDone = (fault) => losses.done(fault);
  const destination: DestinationStream = {
    write: (line) => terminal.err(pretty ? shortLine(line) : line.trimEnd(), done),
  };
  const logger = pino(
    { level, base: { node: name }, formatters: { level: (label) => ({ level: label }) } },
    destination,
  );
  const losses = watchLog((lines, reason, said) => {
    const usual = done;
    done = said;
    logger.error({ lines, reason }, 'lines of the log were lost: it could not be written');
    done = usual;
  });
  return { logger, losses };
}

const CLOCK_START = 11;
const CLOCK_END = 23;
/** Longer values (signatures, digests) do not help people. */
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
