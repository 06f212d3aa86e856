/** The name of the node that the page looks at; with a fleet, the way to look at another one, in every view. */
import { chooseNode, useChosenPath } from '../node/chosen.ts';
import { fleetPath, useFleet } from '../node/fleet.ts';

export function NodeSwitch({ name }: { readonly name: string }) {
  return fleetPath() === undefined ? <span className="bar-name">{name}</span> : <Switch name={name} />;
}

function Switch({ name }: { readonly name: string }) {
  const { answer } = useFleet();
  const chosen = useChosenPath();
  const nodes = answer.type === 'done' ? answer.value : [];
  // The address of the page leads to one of the nodes: by its name it is in the list.
  const current = nodes.find(({ path }) => path === chosen) ?? nodes.find((node) => node.name === name);
  return (
    <select
      className="bar-switch"
      aria-label="Node to look at"
      value={current?.path ?? ''}
      onChange={(event) => chooseNode(event.target.value)}
    >
      {current === undefined ? <option value="">{name}</option> : null}
      {nodes.map((node) => (
        <option key={node.path} value={node.path}>
          {node.name}
          {node.process === 'running' || node.process === undefined ? '' : ` (${node.process})`}
        </option>
      ))}
    </select>
  );
}
