/** All nodes, a selector, and on development networks a danger zone. */
import './fleet.css';
import { useEffect, useMemo } from 'react';
import { Button } from '../../design/button.tsx';
import { count, duration, rateMeasure } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Empty, Failure, LeftOut, Loading } from '../../design/states.tsx';
import { chooseNode, useChosenPlace } from '../../node/chosen.ts';
import { type FleetList, type FleetNode, fleetPath, storeControlToken, useFleet } from '../../node/fleet.ts';
import type { ViewProps } from '../../shell/later.tsx';
import { go } from '../../shell/router.ts';
import { useFleetRows } from '../../stream/use-fleet-rows.ts';
import { useStream } from '../../stream/use-stream.ts';
import { DangerZone } from './danger-zone.tsx';
import { FleetCards } from './fleet-cards.tsx';
import { type FleetEntry, fleetEntries, highestOf } from './fleet-entries.ts';

/** #/fleet/token/TOKEN in the development network's address. */
const TOKEN_PLACE = 'token';
const NO_LIST: FleetList = { nodes: [], malformed: [] };

export function FleetView({ rest }: ViewProps) {
  const { answer, again } = useFleet();
  const { nodes: listed, malformed } = answer.type === 'done' ? answer.value : NO_LIST;
  const nodes = useWithOwnStats(listed);
  // Only a gateway has a path to each node; elsewhere the own node relays them.
  const watched = useMemo(
    () => nodes.flatMap(({ name, place, relayed: report }) => (report ? [] : [{ name, url: location.origin + place }])),
    [nodes],
  );
  const rows = useFleetRows(watched);
  const entries = fleetEntries(nodes, rows);
  const chosen = useChosenPlace();
  useStoredToken(rest);

  const select = (place: string) => {
    chooseNode(place);
    go('overview');
  };
  const zone = nodes.some(({ process }) => process !== undefined);
  return (
    <div className="view">
      <div className="view-head">
        <h1>Fleet</h1>
        <p className="soft">All nodes side by side, each as it reports itself.</p>
      </div>
      {answer.type === 'done' && nodes.length === 0 && malformed.length === 0 ? (
        <NoFleet gateway={fleetPath() !== undefined} />
      ) : null}
      {answer.type === 'loading' ? <Loading what="the fleet" /> : null}
      {answer.type === 'failed' ? (
        <Failure title="The fleet does not answer" detail={answer.reason} onRetry={again} />
      ) : null}
      {entries.length === 0 ? null : (
        <>
          <Summary entries={entries} />
          <FleetCards entries={entries} chosen={chosen} onSelect={select} />
        </>
      )}
      <LeftOut malformed={malformed} />
      {zone ? <DangerZone entries={entries} onDone={again} /> : null}
    </div>
  );
}

/** The own node streams more than its status. */
function useWithOwnStats(nodes: readonly FleetNode[]): readonly FleetNode[] {
  const chosen = useChosenPlace();
  const stats = useStream((snapshot) => snapshot.stats);
  if (chosen !== '') return nodes;
  return nodes.map((node) =>
    node.place === '' && node.relayed !== undefined ? { ...node, relayed: { ...node.relayed, stats } } : node,
  );
}

/** Removes the token from the address, so that no history or screenshot contains it. */
function useStoredToken(rest: readonly string[]): void {
  const token = rest[0] === TOKEN_PLACE ? rest[1] : undefined;
  useEffect(() => {
    if (token === undefined) return;
    storeControlToken(token);
    history.replaceState(null, '', '#/fleet');
  }, [token]);
}

function NoFleet({ gateway }: { readonly gateway: boolean }) {
  if (gateway) return <Empty title="The network has no nodes">Start one with npm run devnet.</Empty>;
  return (
    <Panel title="Nodes">
      <Empty title="One node only">
        To see several nodes side by side, list them in the configuration of this node (fleet.nodes), or start a network
        with npm run devnet and open the fleet console that it prints.
      </Empty>
      <Button onClick={() => go('overview')}>Show this node</Button>
    </Panel>
  );
}

function Summary({ entries }: { readonly entries: readonly FleetEntry[] }) {
  const healthy = entries.filter(({ health }) => health.tone === 'good').length;
  const bad = entries.filter(({ health }) => health.tone === 'bad').length;
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
        label="Healthy"
        value={{ text: `${healthy}`, unit: `of ${entries.length}` }}
        more={bad === 0 ? 'none unhealthy' : `${count(bad)} unhealthy`}
      />
      <Stat
        label="Height"
        value={{ text: count(highest), unit: '' }}
        more={<Pairs pairs={[['nodes behind', count(late)]]} />}
      />
      <Stat label="Blocks" value={rateMeasure(fastest)} more={<Pairs pairs={[['finality', duration(middle)]]} />} />
      <Stat label="Transactions" value={rateMeasure(busiest)} more={<Pairs pairs={[['mempool', count(waiting)]]} />} />
    </div>
  );
}
