/** The node that a command talks to. */
import { type Client, createClient } from '@slipstream/client';
import { text } from './option.ts';
import type { Terminal } from './terminal.ts';

const URL_DEFAULT = 'http://127.0.0.1:8080';
const URL_VARIABLE = 'SLIPSTREAM_URL';

export const urlOption = text('URL', `The node's interface. Default: ${URL_VARIABLE}, or ${URL_DEFAULT}.`);

export function clientFor(url: string | undefined, terminal: Terminal, token?: string): Client {
  return createClient({
    url: url ?? terminal.environment[URL_VARIABLE] ?? URL_DEFAULT,
    ...(token !== undefined && { token }),
  });
}
