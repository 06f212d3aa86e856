import { defineCommand, text } from '@slipstream/command-line';
import type { ArtifactView } from '@slipstream/schema';
import { clientOf, urlOption } from '../node-url.ts';

export const appArtifactsCommand = defineCommand({
  name: 'app artifacts',
  summary: 'List the artifacts that the chain names or a node has, and which of them it may run.',
  details:
    'missing: the node asks its peers for it. fetched: it is here, and its operator has not accepted it. accepted: it may run. unusable: the ' +
    'bytes with this hash are no artifact.',
  options: { home: text('DIR', "The node's folder: where it serves is read there, without --url."), url: urlOption },
  example: 'slipstream app artifacts --home validator-0',
  async run({ options: { json, ...place }, terminal }) {
    const { artifacts } = await (await clientOf(place, terminal)).call('artifacts', {});
    if (json) terminal.out(JSON.stringify({ artifacts }));
    else for (const line of artifacts.map(lineOf)) terminal.out(line);
    return 0;
  },
});

function lineOf({ hash, state, namedBy, name, version, fault }: ArtifactView): string {
  const of = name === undefined ? '' : `  ${name} version ${version}`;
  const by = namedBy === null ? '' : `  named by a ${namedBy}`;
  return `${state.padEnd(8)}  ${hash}${of}${by}${fault === undefined ? '' : `  ${fault}`}`;
}
