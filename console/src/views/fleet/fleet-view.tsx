/** Fleet: the nodes side by side, the way to look at one of them, and on development networks a danger zone. */
import './fleet.css';
import { useEffect, useMemo } from 'react';
import { Button } from '../../design/button.tsx';
import { count, duration, rateMeasure } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { chooseNode, useChosenPlace } from '../../node/chosen.ts';
import { type FleetNode, fleetPath, keepControlToken, useFleet } from '../../node/fleet.ts';
import type { ViewProps } from '../../shell/later.tsx';
import { go } from '../../shell/router.ts';
import { useFleetRows } from '../../stream/use-fleet-rows.ts';
import { useStream } from '../../stream/use-stream.ts';
import { DangerZone } from './danger-zone.tsx';
import { FleetCards } from './fleet-cards.tsx';
import { type FleetEntry, fleetEntries, highestOf } from './fleet-entries.ts';

/** Where the development network's address puts its control token: #/fleet/token/TOKEN. */
const TOKEN_PLACE = 'token';
const NO_NODES: readonly FleetNode[] = [];

export function FleetView({ rest }: ViewProps) {
  const { answer, again } = useFleet();
  const nodes = useWithOwnStats(answer.type === 'done' ? answer.value : NO_NODES);
  // Only a gateway has a path to each node: elsewhere the own node has heard them.
  const watched = useMemo(
    () => nodes.flatMap(({ name, place, heard }) => (heard ? [] : [{ name, url: location.origin + place }])),
    [nodes],
  );
  const rows = useFleetRows(watched);
  const entries = fleetEntries(nodes, rows);
  const chosen = useChosenPlace();
  useKeptToken(rest);

  const look = (place: string) => {
    chooseNode(place);
    go('overview');
  };
  const zone = nodes.some(({ process }) => process !== undefined);
  return (
    <div className="view">
      <div className="view-head">
        <h1>Fleet</h1>
        <p className="soft">Every node as it sees itself, side by side.</p>
      </div>
      {answer.type === 'done' && nodes.length === 0 ? <NoFleet gateway={fleetPath() !== undefined} /> : null}
      {answer.type === 'loading' ? <Loading what="the fleet" /> : null}
      {answer.type === 'failed' ? (
        <Failure title="The fleet does not answer" detail={answer.reason} onRetry={again} />
      ) : null}
      {entries.length === 0 ? null : (
        <>
          <Summary entries={entries} />
          <FleetCards entries={entries} chosen={chosen} onLook={look} />
        </>
      )}
      {zone ? <DangerZone entries={entries} onDone={again} /> : null}
    </div>
  );
}

/** The own node says more to this page than to whoever asks for its status. */
function useWithOwnStats(nodes: readonly FleetNode[]): readonly FleetNode[] {
  const chosen = useChosenPlace();
  const stats = useStream((snapshot) => snapshot.stats);
  if (chosen !== '') return nodes;
  return nodes.map((node) =>
    node.place === '' && node.heard !== undefined ? { ...node, heard: { ...node.heard, stats } } : node,
  );
}

/** Takes the token out of the address at once, so that no history and no screenshot keeps it. */
function useKeptToken(rest: readonly string[]): void {
  const token = rest[0] === TOKEN_PLACE ? rest[1] : undefined;
  useEffect(() => {
    if (token === undefined) return;
    keepControlToken(token);
    history.replaceState(null, '', '#/fleet');
  }, [token]);
}

function NoFleet({ gateway }: { readonly gateway: boolean }) {
  if (gateway) return <Empty title="The network has no nodes">Start one with npm run devnet.</Empty>;
  return (
    <Panel title="One node">
      <Empty title="This page knows one node alone">
        Its own views show all of it. For several nodes side by side, list them in the configuration of this node
        (fleet.nodes), or start a network with npm run devnet and open the fleet console that it prints.
      </Empty>
      <Button onClick={() => go('overview')}>Look at this node</Button>
    </Panel>
  );
}

function Summary({ entries }: { readonly entries: readonly FleetEntry[] }) {
  const well = entries.filter(({ verdict }) => verdict.tone === 'good').length;
  const bad = entries.filter(({ verdict }) => verdict.tone === 'bad').length;
  const highest = highestOf(entries);
  const late = entries.filter(({ behind }) => behind !== null && behind > 0).length;
  const live = entries.filter(({ fresh, otherChain }) => fresh && otherChain === undefined);
  const fastest = Math.max(0, ...live.map(({ stats }) => stats?.blocksPerSecond ?? 0));
  const busiest = Math.max(0, ...live.map(({ stats }) => stats?.transactionsPerSecond ?? 0));
  const waiting = live.reduce((sum, { status }) => sum + (status?.mempool.transactions ?? 0), 0);
  const finality = live.flatMap(({ stats }) => stats?.finalityMs?.p50 ?? []).sort((a, b) => a - b);
  const middle = finality[Math.floor((finality.length - 1) / 2)];
  return (
    <div className="stats">
      <Stat
        label="Well"
        value={{ text: `${well}`, unit: `of ${entries.length}` }}
        more={bad === 0 ? 'none is in trouble' : `${count(bad)} in trouble`}
      />
      <Stat
        label="Highest block"
        value={{ text: count(highest), unit: '' }}
        more={<Pairs pairs={[['behind it', late === 0 ? 'nobody' : count(late)]]} />}
      />
      <Stat label="Blocks" value={rateMeasure(fastest)} more={<Pairs pairs={[['finality', duration(middle)]]} />} />
      <Stat label="Transactions" value={rateMeasure(busiest)} more={<Pairs pairs={[['waiting', count(waiting)]]} />} />
    </div>
  );
}
