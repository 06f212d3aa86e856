import { defineCommand, text } from '@slipstream/command-line';
import { adminClient, adminOptions } from '../admin.ts';
import { urlOption } from '../node-url.ts';

export const peersBlockCommand = defineCommand({
  name: 'peers block',
  summary: 'Block a peer until it is unblocked or the node restarts.',
  positionals: [{ name: 'PEER', about: 'the peer: 0x and 64 hexadecimal digits, as "peers list" shows it' }],
  options: { ...adminOptions, reason: text('TEXT', 'For the record.'), url: urlOption },
  example:
    'slipstream peers block 0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02 --home chain/validator-0',
  async run({ options, arguments: [peer = ''], terminal }) {
    await (await adminClient(options, terminal)).blockPeer(peer, options.reason);
    terminal.out(options.json ? JSON.stringify({ blocked: peer }) : `blocked: ${peer}`);
    return 0;
  },
});
