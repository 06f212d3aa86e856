/** Verifies a node's evidence with the genesis file. */
import { verifyEvidence } from '@slipstream/client';
import { defineCommand, EXIT_FAILED, inFolder, required } from '@slipstream/command-line';
import type { EvidenceView } from '@slipstream/schema';
import { genesisToJson } from '@slipstream/types';
import { clientFor, urlOption } from '../node-url.ts';

/** A node serves at most a thousand. */
const PAGES_MAX = 20;
const PAGE = 100;

export const evidenceCommand = defineCommand({
  name: 'evidence',
  summary: 'List the evidence a node holds and verify each item with the genesis file.',
  details:
    'Evidence is two messages of one validator that no honest one signs both of: its key ran twice, was stolen, or its ' +
    'program lies. The signatures are checked here, so the node need not be trusted. Exits with 1 when one does not hold.',
  options: { genesis: required('FILE', "The chain's genesis file."), url: urlOption },
  example: 'slipstream evidence --genesis chain/genesis.json --url http://127.0.0.1:8081',
  async run({ options, terminal }) {
    const { readGenesis } = await import('@slipstream/node-home');
    const genesis = genesisToJson(await readGenesis(inFolder(terminal, options.genesis)));
    const client = clientFor(options.url, terminal);
    const items: EvidenceView[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = await client.call('evidence', { query: { cursor, limit: PAGE } });
      items.push(...page.items);
      if (page.next === null) break;
      cursor = page.next;
    }
    const checked = items.map((item) => ({ item, verdict: verifyEvidence(item, genesis) }));
    const views = checked.map(({ item: { type, offender, view, sequence }, verdict }) => ({
      type,
      offender,
      view,
      ...(sequence !== undefined && { sequence }),
      holds: verdict.ok,
      ...(verdict.ok ? verdict.value : { why: verdict.error }),
    }));
    if (options.json) terminal.out(JSON.stringify(views));
    else if (checked.length === 0) terminal.out('no evidence against any validator');
    else terminal.out(views.map(evidenceText).join('\n'));
    return views.every(({ holds }) => holds) ? 0 : EXIT_FAILED;
  },
});

type Checked = Pick<EvidenceView, 'type' | 'offender'> &
  Partial<Record<'publicKey' | 'first' | 'second' | 'why', string>>;

function evidenceText({ type, offender, publicKey, first, second, why }: Checked): string {
  if (why !== undefined) return `validator ${offender}, ${type}: DOES NOT HOLD: ${why}`;
  return `validator ${offender}, key ${publicKey}, signed both\n  ${first}\n  ${second}`;
}
