import type { Client } from '@slipstream/client';
import { defineCommand, flag, inFolder } from '@slipstream/command-line';
import { fromHex } from '@slipstream/primitives';
import { REPORTED_ARTIFACTS_MAX } from '@slipstream/types';
import { knownVersion } from '../../epochs/known-rules.ts';
import { NodeError } from '../../errors.ts';
import { clientOf, urlOption } from '../node-url.ts';
import { configOf } from '../places.ts';
import { reportSent, sendActions, sendOptions } from '../send-actions.ts';
import { homeOption } from '../stopped-node.ts';
import { accountKeyOption, accountOfHome, keyPlacesOf, nextPlacesOf, signingKeysOf } from '../validator-keys.ts';

export const validatorReadyCommand = defineCommand({
  name: 'validator ready',
  summary: 'Report that a node with new keys is synced and connected: a candidate and a rotation are sealed only then.',
  details:
    'The report is signed by the BLS key, for the current epoch, and names the rules that this program knows; a member reports with it ' +
    'that it knows a new version, and that it has artifacts which open proposals name. With keys of a rotation under keys/next, these sign. Any account may send it.',
  options: {
    home: homeOption,
    key: accountKeyOption,
    current: flag('Sign with the keys in use, though there are next ones.'),
    url: urlOption,
    ...sendOptions,
  },
  example: 'slipstream validator ready --home new-node --key payer.key',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const config = await configOf(home, terminal);
    const client = await clientOf({ url: options.url, home: options.home ?? '.' }, terminal);
    const status = await client.status();
    if (!status.ready || status.syncing) {
      const message = `the node at ${client.url} is not synced and connected yet: wait with slipstream status --wait 600, then report again`;
      throw new NodeError('request-failed', message, { url: client.url });
    }
    const { readyAction } = await import('../../validator/key-actions.ts');
    const version = knownVersion(config, status);
    const own = keyPlacesOf(config);
    const keys = await signingKeysOf(home, options.current ? own : nextPlacesOf(home, own));
    const { current } = await client.epochs({ limit: 1 });
    const artifacts = await proposedArtifacts(client, home);
    const action = readyAction(await client.genesisHash(), keys, { epoch: current.epoch, version, artifacts });
    const key = await accountOfHome(options.key, home, config, terminal);
    const view = await sendActions(client, key, [action], options);
    return reportSent(view, options, terminal, [`ready in epoch ${current.epoch}; see: slipstream validator status`]);
  },
});

/** Those of open proposals that are in the home. */
async function proposedArtifacts(client: Client, home: string): Promise<readonly Uint8Array[]> {
  const { items } = await client.proposals();
  const changes = items.flatMap(({ changes: all }) => all);
  const upgrades = changes.flatMap((change) => (change.kind === 'upgradeApplication' ? [change] : []));
  if (upgrades.length === 0) return [];
  const { artifactTable, readAccepted } = await import('@slipstream/node-home/applications');
  const artifacts = artifactTable(await readAccepted(home));
  const isHere = ({ hash, name, version }: (typeof upgrades)[number]) => {
    const manifest = artifacts.manifestOf(fromHex(hash));
    return manifest?.name === name && manifest.version === version;
  };
  const hashes = new Set(upgrades.filter(isHere).map(({ hash }) => hash));
  return [...hashes].slice(0, REPORTED_ARTIFACTS_MAX).map((hash) => fromHex(hash));
}
