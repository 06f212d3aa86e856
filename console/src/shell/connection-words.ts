/** The connection in words, for the bar, the banner and those who listen. */
import type { Tone } from '../design/badge.tsx';
import { span } from '../design/format.ts';
import type { Connection } from '../stream/snapshot.ts';

export interface ConnectionWords {
  readonly tone: Tone;
  readonly short: string;
  /** What it means; undefined while all is well. */
  readonly explanation: string | undefined;
}

export function connectionWords(connection: Connection): ConnectionWords {
  switch (connection.type) {
    case 'live':
      return { tone: 'good', short: 'Live', explanation: undefined };
    case 'behind':
      return {
        tone: 'warn',
        short: 'Behind',
        explanation: `Behind by ${span(connection.byMs)}: what the node says comes late. The way to it, or this machine, is too slow.`,
      };
    case 'stale':
      return {
        tone: 'warn',
        short: 'Stale',
        explanation: 'The node is connected and has gone silent. What is shown is as of its last message.',
      };
    case 'connecting':
      return {
        tone: connection.lostAtMs === null ? 'info' : 'warn',
        short: 'Connecting',
        explanation:
          connection.lostAtMs === null
            ? undefined
            : 'The stream was lost. Connecting again; it goes on where it broke off.',
      };
    case 'lost':
      return {
        tone: 'bad',
        short: 'Offline',
        explanation: `The stream was lost (${connection.reason}). Trying again in ${seconds(connection.retryInMs)}; it goes on where it broke off.`,
      };
    default:
      return connection satisfies never;
  }
}

/** How long what is shown has been out of date; undefined while messages come. */
export function outOfDate(connection: Connection, nowMs: number): string | undefined {
  const since = silentSince(connection);
  return since === null ? undefined : span(Math.max(1_000, nowMs - since));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function silentSince(connection: Connection): number | null {
  switch (connection.type) {
    case 'live':
    case 'behind':
      return null;
    case 'stale':
      return connection.sinceMs;
    case 'connecting':
    case 'lost':
      return connection.lostAtMs;
    default:
      return connection satisfies never;
  }
}
