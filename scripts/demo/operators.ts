/** Operators at their shell: the commands of the guides, in the folder of a devnet. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileCache, nodeFlags, root } from '@slipstream/checkout';
import type { Cluster, ClusterNode } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';

const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const COMMAND_MS_MAX = 180_000;
const run = promisify(execFile);

export interface Shell {
  /** Throws with its output when it fails. */
  slipstream(...words: readonly string[]): Promise<string>;
}

export function openShell(
  { folder }: Pick<Cluster, 'folder'>,
  say: (text: string) => void,
  signal: AbortSignal,
): Shell {
  const main = join(root, 'apps/node/bin/main.mjs');
  return {
    async slipstream(...words) {
      say(`  + slipstream ${words.join(' ')}`);
      const options = {
        cwd: folder,
        env: { ...process.env, ...compileCache(root), NO_COLOR: '1' },
        maxBuffer: OUTPUT_BYTES_MAX,
        timeout: COMMAND_MS_MAX,
        signal,
      };
      const { stdout } = await run(process.execPath, [...nodeFlags, main, ...words], options);
      return stdout;
    },
  };
}

/** Secret of the account that operates a validator: the first network key, also after a rotation. */
export function operatorFile({ name, home }: ClusterNode): string {
  const retired = `${HOME.peerSeed}.retired`;
  return join(name, existsSync(join(home, retired)) ? retired : HOME.peerSeed);
}

/** One operator proposes, the others approve. `changes` are options of the command. */
export async function decide(
  { slipstream }: Shell,
  [proposer, ...others]: readonly ClusterNode[],
  ...changes: readonly string[]
): Promise<void> {
  if (proposer === undefined) throw new Error('a committee has members');
  const at = (node: ClusterNode) => ['--key', operatorFile(node), '--url', node.url];
  const answer = await slipstream('governance', 'propose', ...changes, ...at(proposer));
  const id = /^proposal (0x[0-9a-f]+)$/m.exec(answer)?.[1];
  if (id === undefined) throw new Error(`no proposal in: ${answer}`);
  for (const other of others) await slipstream('governance', 'approve', id, ...at(other));
}

/** As the guide does with sed. */
export async function nameBlsKey({ home }: ClusterNode): Promise<void> {
  const path = join(home, HOME.config);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/^keys:/m, `keys:\n  bls: ${HOME.blsKeystore}`));
}
