import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, ClientError } from '@slipstream/client';
import { defineCommand, inFolder } from '@slipstream/command-line';
import type { KeyPlaces } from '@slipstream/node-home/chain';
import { eraseFile } from '../erase-file.ts';
import { clientFor, urlOption } from '../node-url.ts';
import { configOf } from '../places.ts';
import { homeOption } from '../stopped-node.ts';
import { keyPlacesOf } from '../validator-keys.ts';

export const keysRetireCommand = defineCommand({
  name: 'keys retire',
  summary:
    'Erase a BLS key that no longer signs, after a rotation or a removal; next keys take the places of the old ones.',
  details:
    'It asks a node of the chain (--url) which keys are in force, and erases none that is. Old secrets of a quorum could forge another past. The ' +
    'seed of an old network key stays as peer.seed.retired (later ones as peer.seed.retired-2 and so on), because its account may own something. ' +
    'Remove copies in backups, too.',
  options: { home: homeOption, url: urlOption },
  example: 'slipstream keys retire --home validator-0 --url http://127.0.0.1:8081',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const { NEXT_KEYS: next, readPeerKey } = await import('@slipstream/node-home/chain');
    const own = keyPlacesOf(await configOf(home, terminal));
    const client = clientFor(options.url, terminal);
    const has = (name: string) => existsSync(join(home, name));
    const lines: string[] = [];
    if (has(own.keystore) && (await isBlsKeyRetired(client, join(home, own.keystore)))) {
      for (const name of [own.keystore, own.password].filter(has)) {
        await eraseFile(join(home, name));
        lines.push(`erased ${name}`);
      }
    }
    const isInForce = has(next.seed) && (await isPeerKeyInForce(client, await readPeerKey(join(home, next.seed))));
    const seeds = isInForce && has(own.seed) ? [[own.seed, retiredName(own.seed, has)] as const] : [];
    for (const [from, to] of [...seeds, ...movesOf(next, own)]) {
      if (!has(from) || has(to)) continue;
      await rename(join(home, from), join(home, to));
      lines.push(`${from} is ${to} now`);
    }
    if (lines.length === 0) lines.push('nothing is retired: the keys here are in force, or wait for a seal');
    terminal.out(options.json ? JSON.stringify({ done: lines }) : lines.join('\n'));
    return 0;
  },
});

/** An earlier retired seed keeps its name: its account may be the operator. */
function retiredName(seed: string, has: (name: string) => boolean): string {
  let name = `${seed}.retired`;
  for (let nth = 2; has(name); nth++) name = `${seed}.retired-${nth}`;
  return name;
}

/** The password first: a keystore without one would be of no use. */
function movesOf(next: KeyPlaces, own: KeyPlaces): readonly (readonly [from: string, to: string])[] {
  return [
    [next.password, own.password],
    [next.keystore, own.keystore],
    [next.seed, own.seed],
  ];
}

/** In no record from the current one on, and not waiting for one. */
async function isBlsKeyRetired(client: Client, keystore: string): Promise<boolean> {
  const { publicKeyOfKeystore } = await import('../key-files.ts');
  const key = await publicKeyOfKeystore(keystore);
  const { members } = await client.epoch('current');
  if (members.some(({ blsPublicKey }) => blsPublicKey === key)) return false;
  const validator = await client.validator(key).catch((error: unknown) => {
    // The chain never had this key: another chain's, or a candidate's to be.
    if (error instanceof ClientError && error.code === 'validator-unknown') return undefined;
    throw error;
  });
  if (validator === undefined || validator.status === 'candidate') return false;
  return validator.status === 'removed' || ![validator.blsPublicKey, validator.rotation?.blsPublicKey].includes(key);
}

async function isPeerKeyInForce(client: Client, peer: string): Promise<boolean> {
  const { members } = await client.epoch('current');
  return members.some((member) => member.peer === peer);
}
