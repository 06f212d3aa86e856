/** Texts of the connection state, for bar, banner and screen readers. */
import type { Tone } from '../design/badge.tsx';
import { span } from '../design/format.ts';
import type { Connection } from '../stream/snapshot.ts';

interface ConnectionWords {
  readonly tone: Tone;
  readonly short: string;
  /** Undefined while live. */
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
        explanation: `Delayed by ${span(connection.byMs)}: messages arrive late. The connection or this machine is too slow.`,
      };
    case 'stale':
      return {
        tone: 'warn',
        short: 'Stale',
        explanation: 'The node is connected and unresponsive. Values date from its last message.',
      };
    case 'connecting':
      return {
        tone: connection.lostAtMs === null ? 'info' : 'warn',
        short: 'Connecting',
        explanation:
          connection.lostAtMs === null ? undefined : 'The stream was lost. Reconnecting; it resumes where it stopped.',
      };
    case 'lost':
      return {
        tone: 'bad',
        short: 'Offline',
        explanation: `The stream was lost (${connection.reason}). Retrying in ${seconds(connection.retryInMs)}; the stream resumes where it stopped.`,
      };
    default:
      return connection satisfies never;
  }
}

/** Age of the shown data; undefined while messages arrive. */
export function outOfDate(connection: Connection, nowMs: number): string | undefined {
  const since = lastMessageMs(connection);
  return since === null ? undefined : span(Math.max(1_000, nowMs - since));
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function lastMessageMs(connection: Connection): number | null {
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
