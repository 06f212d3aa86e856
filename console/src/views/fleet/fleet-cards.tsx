/** One card per node, with everything in the same places. */
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { count, duration, joined, NONE, rateMeasure } from '../../design/format.ts';
import type { FleetEntry } from './fleet-entries.ts';

interface FleetCardsProps {
  readonly entries: readonly FleetEntry[];
  readonly chosen: string;
  readonly onSelect: (place: string) => void;
}

export function FleetCards({ entries, chosen, onSelect }: FleetCardsProps) {
  return (
    <ul className="fleet-cards">
      {entries.map((entry) => (
        <li key={entry.name}>
          <FleetCard entry={entry} isChosen={entry.place === chosen} onSelect={() => onSelect(entry.place)} />
        </li>
      ))}
    </ul>
  );
}

interface FleetCardProps {
  readonly entry: FleetEntry;
  readonly isChosen: boolean;
  readonly onSelect: () => void;
}

function FleetCard({ entry, isChosen, onSelect }: FleetCardProps) {
  const { name, health, remedy, fresh, validator, otherChain } = entry;
  const role = validator === null ? 'full node' : `validator ${validator}`;
  return (
    <article className="fleet-card" data-tone={health.tone} data-fresh={fresh} aria-label={name}>
      <header className="fleet-card-head">
        <h2>{name}</h2>
        <Badge tone={health.tone}>{health.label}</Badge>
      </header>
      <p className="small soft">{otherChain === undefined ? role : `${role} of the chain ${otherChain}`}</p>
      <Figures entry={entry} />
      <ul className="fleet-reasons small">
        {health.reasons.map((reason) => (
          <li key={reason} className="alert-message">
            {reason}
          </li>
        ))}
        {remedy === undefined ? null : <li className="soft">{remedy}</li>}
      </ul>
      <div>
        <Button onClick={onSelect} disabled={isChosen}>
          {isChosen ? 'Selected' : `Select ${name}`}
        </Button>
      </div>
    </article>
  );
}

function Figures({ entry: { status, stats, behind } }: { readonly entry: FleetEntry }) {
  const figures: readonly (readonly [name: string, value: string])[] = [
    ['Height', count(status?.height)],
    ['Blocks behind', behind === null ? NONE : count(behind)],
    ['View', count(status?.view)],
    ['Peers', status === null ? NONE : count(status.peers.connected)],
    ['Finality', duration(stats?.finalityMs?.p50)],
    ['p99', duration(stats?.finalityMs?.p99)],
    ['Blocks', joined(rateMeasure(stats?.blocksPerSecond))],
    ['Executed', joined(rateMeasure(stats?.transactionsPerSecond))],
    ['Blocked', status === null ? NONE : count(status.peers.blocked)],
    ['Mempool', count(status?.mempool.transactions)],
  ];
  return (
    <dl className="fleet-figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
