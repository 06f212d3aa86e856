import { defineCommand } from '@slipstream/command-line';
import type { Peer } from '@slipstream/schema';
import { malformedLine } from '../malformed-items.ts';
import { clientFor, urlOption } from '../node-url.ts';

export const peersListCommand = defineCommand({
  name: 'peers list',
  aliases: ['peers'],
  summary: 'List connected and blocked peers of a node.',
  options: { url: urlOption },
  example: 'slipstream peers list --url http://127.0.0.1:8081',
  async run({ options, terminal }) {
    const { items, malformed } = await clientFor(options.url, terminal).peers();
    if (options.json) terminal.out(JSON.stringify({ items, malformed }));
    else terminal.out([...items.map(lineOf), ...malformed.map(malformedLine)].join('\n') || 'no peers');
    return 0;
  },
});

function lineOf({ peer, role, validator, connected, address, failure, roundTripMs, blocked }: Peer): string {
  const who = validator === null ? role : `validator ${validator}`;
  const trip = roundTripMs === null ? '' : ` ${roundTripMs.toFixed(1)} ms`;
  const state = connected ? `connected${trip}` : 'not connected';
  const block = blocked === null ? '' : `  BLOCKED by ${blocked.by}: ${blocked.reason} ${blocked.detail ?? ''}`;
  const why = failure === undefined ? '' : `  ${failure}`;
  return `${peer}  ${who.padEnd(13)} ${state.padEnd(18)} ${address ?? ''}${why}${block}`.trimEnd();
}
