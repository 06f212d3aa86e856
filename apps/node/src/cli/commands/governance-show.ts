import type { Client } from '@slipstream/client';
import { defineCommand } from '@slipstream/command-line';
import type { ProposalPage, ProposalView } from '@slipstream/schema';
import { governanceText, proposalText } from '../epoch-texts.ts';
import { clientFor, urlOption } from '../node-url.ts';

/** More than a chain has: the governors' shares of 64. */
const PAGES_MAX = 64;

export const governanceShowCommand = defineCommand({
  name: 'governance show',
  summary: 'Show who governs and the open proposals, or one proposal, and what each waits for.',
  positionals: [{ name: 'ID', about: 'id of a proposal. Default: all open ones.', optional: true }],
  options: { url: urlOption },
  example: 'slipstream governance show --url http://127.0.0.1:8080',
  async run({ options, arguments: [id], terminal }) {
    const client = clientFor(options.url, terminal);
    if (id !== undefined) {
      const proposal = await client.proposal(id);
      terminal.out(options.json ? JSON.stringify(proposal) : proposalText(proposal));
      return 0;
    }
    const { governance, items } = await allProposals(client);
    const lines = [governanceText(governance), ...items.map(proposalText)];
    if (items.length === 0) lines.push('no open proposal');
    terminal.out(options.json ? JSON.stringify({ governance, items }) : lines.join('\n'));
    return 0;
  },
});

async function allProposals(client: Client): Promise<Pick<ProposalPage, 'governance' | 'items'>> {
  const first = await client.proposals({ limit: 100 });
  const items: ProposalView[] = [...first.items];
  let { next } = first;
  for (let pages = 1; next !== null && pages < PAGES_MAX; pages++) {
    const page = await client.proposals({ cursor: next, limit: 100 });
    items.push(...page.items);
    next = page.next;
  }
  return { governance: first.governance, items };
}
