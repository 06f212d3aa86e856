import { defineCommand } from '@slipstream/command-line';
import { adminClient, adminOptions } from '../admin.ts';
import { urlOption } from '../node-url.ts';

export const peersUnblockCommand = defineCommand({
  name: 'peers unblock',
  summary: 'Unblock a peer.',
  details: 'A validator blocked for an invalid signature is blocked again at its next one.',
  positionals: [{ name: 'PEER', about: 'the peer: 0x and 64 hexadecimal digits, as "peers list" shows it' }],
  options: { ...adminOptions, url: urlOption },
  example:
    'slipstream peers unblock 0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02 --home chain/validator-0',
  async run({ options, arguments: [peer = ''], terminal }) {
    await (await adminClient(options, terminal)).unblockPeer(peer);
    terminal.out(options.json ? JSON.stringify({ unblocked: peer }) : `unblocked: ${peer}`);
    return 0;
  },
});
