/** The validator that the full node follows, from its log. */
import { readFile } from 'node:fs/promises';
import type { Site } from './site.ts';

export async function upstreamOf({ cluster, fullNode }: Site): Promise<string | undefined> {
  if (fullNode === undefined) return undefined;
  const log = await readFile(cluster.node(fullNode).process.logFile, 'utf8');
  const line = log
    .split('\n')
    .filter((text) => text.includes('"upstream.chosen"'))
    .at(-1);
  if (line === undefined) return undefined;
  const { peer } = JSON.parse(line) as { readonly peer?: string };
  return cluster.nodes.find(({ peerKey }) => peerKey === peer)?.name;
}
