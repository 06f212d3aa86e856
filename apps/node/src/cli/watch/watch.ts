/** Watches a node until a signal or a failed write: a screen is redrawn, other output gets a line per second. */
import type { Client } from '@slipstream/client';
import { plainText, type Terminal } from '@slipstream/command-line';
import { linesOf, summaryOf } from './draw.ts';
import { NOTHING_SEEN, type WatchedNode, withConnection, withEvent, withMalformed, withState } from './model.ts';

const DRAW_MS = 500;
const PLAIN_MS = 1000;
/** Cursor home, draw, erase the rest of the previous frame. */
const HOME = '\u001b[H';
const ERASE_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

export async function watchNode(client: Client, terminal: Terminal, { json }: { readonly json: boolean }) {
  let seen: WatchedNode = NOTHING_SEEN;
  const ended = Promise.withResolvers<void>();
  const print = (line: string) => terminal.out(line, (fault) => fault && ended.resolve());
  const stream = client.events({
    topics: ['stats', 'alerts', 'peers', 'consensus', 'signatures'],
    onState: (state) => {
      seen = withState(seen, state);
    },
    onEvent: (event) => {
      seen = withEvent(seen, event);
      if (json) print(JSON.stringify(event));
    },
    onMalformed: (fault) => {
      seen = withMalformed(seen, fault, Date.now());
    },
    onConnection: (connection) => {
      seen = withConnection(seen, connection);
    },
  });
  const screen = terminal.interactive && !json;
  const draw = () => {
    if (json) return;
    const nowMs = Date.now();
    if (screen) terminal.draw(`${frameOf(linesOf(seen, nowMs))}\n`);
    else print(summaryOf(seen, nowMs));
  };
  const timer = setInterval(draw, screen ? DRAW_MS : PLAIN_MS);
  const release = terminal.onSignals(() => ended.resolve());
  await ended.promise;
  release();
  clearInterval(timer);
  stream.close();
}

/** The lines have text of the node, so control characters are replaced. */
export function frameOf(lines: readonly string[]): string {
  return `${HOME}${lines.map((line) => `${plainText(line)}${ERASE_LINE}`).join('\n')}\n${ERASE_BELOW}`;
}
