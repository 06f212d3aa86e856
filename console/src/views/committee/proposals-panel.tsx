import './committee.css';
import type { Listed, ProposalPage, ProposalView, ValidatorView } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { count, dateAndTime } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty, LeftOut } from '../../design/states.tsx';
import { useNow } from '../../node/use-now.ts';
import { countdown, waitText } from './next-committee.ts';
import { Account, ProposedChange } from './proposed-change.tsx';

interface ProposalsPanelProps {
  readonly page: Listed<ProposalPage>;
  /** By id. */
  readonly validators: ReadonlyMap<string, ValidatorView>;
}

export function ProposalsPanel({ page, validators }: ProposalsPanelProps) {
  const { governance, items, malformed, next } = page;
  const decides =
    governance.by === 'administrators'
      ? `${governance.neededWeight} of ${governance.governors.length} administrators decide`
      : 'operators of more than two thirds of the weight decide';
  return (
    <Panel title="Open proposals" note={decides}>
      {items.length === 0 && malformed.length === 0 ? (
        <Empty title="None">Governors propose with: slipstream governance propose</Empty>
      ) : (
        <ul className="stack">
          {items.map((proposal) => (
            <li key={proposal.id} className="proposal">
              <Proposal proposal={proposal} nameOf={(id) => validators.get(id)?.name} />
            </li>
          ))}
        </ul>
      )}
      <LeftOut malformed={malformed} />
      {next === null ? null : <p className="small soft">There are more: slipstream governance show lists all.</p>}
    </Panel>
  );
}

const COUNTDOWN_MS = 1_000;

interface ProposalProps {
  readonly proposal: ProposalView;
  readonly nameOf: (validatorId: string) => string | undefined;
}

function Proposal({ proposal, nameOf }: ProposalProps) {
  const nowMs = useNow(COUNTDOWN_MS);
  const { id, proposer, changes, approvals, approvedWeight, neededWeight, notBeforeMs, expiresMs } = proposal;
  const approved = approvedWeight >= neededWeight;
  const facts: readonly Fact[] = [
    ['Proposal', <Hex key="id" value={id} what="proposal id" />],
    ['By', <Account key="by" account={proposer} />],
    [
      'Approved by',
      <ul key="approvals">
        {approvals.map(({ account, weight }) => (
          <li key={account}>
            <Account account={account} /> weight {count(weight)}
          </li>
        ))}
      </ul>,
    ],
    ...(notBeforeMs === 0 ? [] : [['Not before', dateAndTime(notBeforeMs)] as const]),
    ['Expires', dateAndTime(expiresMs)],
    ['Waits for', waitText(proposal)],
  ];
  return (
    <article className="stack" aria-label={`Proposal ${id.slice(0, 10)}`}>
      <ol>
        {changes.map((change, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes are a fixed list, and two may be equal
          <li key={i}>
            <ProposedChange change={change} nameOf={nameOf} />
          </li>
        ))}
      </ol>
      <div className="row">
        <Badge tone={approved ? 'good' : 'info'}>
          {count(approvedWeight)} of {count(neededWeight)} approvals
        </Badge>
        <span className="small soft">{countdown(proposal, nowMs)}</span>
      </div>
      <Facts facts={facts} />
    </article>
  );
}
