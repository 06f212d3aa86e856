import { defineCommand, required, usageError } from '@slipstream/command-line';
import { idFromHex, type ProposalId } from '@slipstream/types';
import { readKeyPair } from '../account-key.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { reportSent, sendActions, sendOptions } from '../send-actions.ts';

const ID = /^0x[0-9a-fA-F]{64}$/;

export const governanceApproveCommand = voteCommand(
  'approve',
  'Approve a proposal, as a governor.',
  'A seal counts the approvals of those who govern at that time.',
);
export const governanceRevokeCommand = voteCommand(
  'revoke',
  'Revoke your approval of a proposal.',
  'A proposal without approvals is dropped.',
);

function voteCommand(kind: 'approve' | 'revoke', summary: string, details: string) {
  const name = `governance ${kind}`;
  return defineCommand({
    name,
    summary,
    details,
    positionals: [{ name: 'ID', about: 'id of the proposal: 0x and 64 hexadecimal digits.' }],
    options: {
      key: required('FILE|0xSECRET', "The governor's secret."),
      url: urlOption,
      ...sendOptions,
    },
    example: `slipstream ${name} 0x${'0b'.repeat(32)} --key validator-1/keys/peer.seed`,
    async run({ options, arguments: [id = ''], terminal }) {
      if (!ID.test(id)) throw usageError(`slipstream ${name}`, ['ID must be 0x and 64 hexadecimal digits']);
      const key = await readKeyPair(options.key, terminal);
      const client = clientFor(options.url, terminal);
      const view = await sendActions(client, key, [{ kind, proposalId: idFromHex<ProposalId>(id) }], options);
      return reportSent(view, options, terminal, [`see: slipstream governance show ${id}`]);
    },
  });
}
