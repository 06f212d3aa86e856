/** Verifies a node's evidence with the genesis file. */
import { type Client, committeesOf, type EpochCommittees, followEpochs, verifyEvidence } from '@slipstream/client';
import { defineCommand, EXIT_FAILED, inFolder, required } from '@slipstream/command-line';
import type { EvidenceView, MalformedItem } from '@slipstream/schema';
import { genesisToJson } from '@slipstream/types';
import { NodeError } from '../../errors.ts';
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
    const committees = committeesOf(genesisToJson(await readGenesis(inFolder(terminal, options.genesis))));
    if (!committees.ok) throw new NodeError('home-incomplete', `no genesis file: ${committees.error}`, {});
    const client = clientFor(options.url, terminal);
    await followEpochs(client, committees.value);
    const { items, malformed } = await evidenceOf(client);
    const verdicts = [
      ...items.map((item) => verdictOn(item, committees.value)),
      ...malformed.map(({ item, fault }) => ({ item, holds: false, why: `malformed: ${fault}` })),
    ];
    if (options.json) terminal.out(JSON.stringify(verdicts));
    else if (verdicts.length === 0) terminal.out('no evidence against any validator');
    else terminal.out(verdicts.map(evidenceText).join('\n'));
    return verdicts.every(({ holds }) => holds) ? 0 : EXIT_FAILED;
  },
});

/** The items of all pages. */
async function evidenceOf(client: Client) {
  const items: EvidenceView[] = [];
  const malformed: MalformedItem[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const before = items.length + malformed.length;
    const page = await client.call('evidence', { query: { cursor, limit: PAGE } });
    items.push(...page.items);
    malformed.push(...page.malformed.map(({ item, fault }) => ({ item: before + item, fault })));
    if (page.next === null) break;
    cursor = page.next;
  }
  return { items, malformed };
}

/** `item` is the position of malformed evidence. */
type Verdict = Partial<Pick<EvidenceView, 'type' | 'epoch' | 'offender' | 'view' | 'sequence'>> &
  Partial<Record<'publicKey' | 'first' | 'second' | 'why', string>> & {
    readonly item?: number;
    readonly holds: boolean;
  };

function verdictOn(evidence: EvidenceView, committees: EpochCommittees): Verdict {
  const { type, epoch, offender, view, sequence } = evidence;
  const verdict = verifyEvidence(evidence, committees);
  return {
    type,
    epoch,
    offender,
    view,
    ...(sequence !== undefined && { sequence }),
    holds: verdict.ok,
    ...(verdict.ok ? verdict.value : { why: verdict.error }),
  };
}

function evidenceText({ item, type, epoch, offender, publicKey, first, second, why }: Verdict): string {
  if (item !== undefined) return `item ${item}: DOES NOT HOLD: ${why}`;
  if (why !== undefined) return `validator ${offender} of epoch ${epoch}, ${type}: DOES NOT HOLD: ${why}`;
  return `validator ${offender} of epoch ${epoch}, key ${publicKey}, signed both\n  ${first}\n  ${second}`;
}
