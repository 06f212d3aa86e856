/** The name of the selected node; with a fleet, a selector. */
import { chooseNode, relayedNode, useChosenPlace } from '../node/chosen.ts';
import { type FleetNode, useFleet } from '../node/fleet.ts';

export function NodeSwitch({ name }: { readonly name: string }) {
  const { answer } = useFleet();
  const chosen = useChosenPlace();
  const nodes = answer.type === 'done' ? answer.value.nodes : [];
  if (nodes.length === 0) return <span className="bar-name">{relayedNode() ?? name}</span>;
  // Without a selected place the page's address leads to one of the nodes, found by name.
  const current = nodes.find(({ place }) => place === chosen) ?? nodes.find((node) => node.name === name);
  return (
    <select
      className="bar-switch"
      aria-label="Selected node"
      value={current?.place ?? ''}
      onChange={(event) => chooseNode(event.target.value)}
    >
      {current === undefined ? <option value="">{name}</option> : null}
      {nodes.map((node) => (
        <option key={node.place} value={node.place}>
          {node.name}
          {troubleOf(node)}
        </option>
      ))}
    </select>
  );
}

function troubleOf({ process, relayed: report }: FleetNode): string {
  if (process === 'stopped' || process === 'paused') return ` (${process})`;
  return report !== undefined && report.state !== 'live' ? ' (lost)' : '';
}
