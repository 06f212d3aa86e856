/** The steps of the demonstration, each a guide of docs/operators, and each one epoch. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, type ClusterNode, eventually } from '@slipstream/devnet';
import type { EpochRecordJson } from '@slipstream/schema';
import { decide, nameBlsKey, operatorFile, type Shell } from './operators.ts';

export interface Step {
  readonly what: string;
  readonly guide: string;
  /** Resolves when the epoch has begun and the operators have done what comes after. */
  play(epoch: number): Promise<void>;
}

const NEWCOMER = 'full-node-0';
const NEWCOMER_NAME = 'newcomer';
const REMOVED = 'validator-3';
const RENAMED_MS_MAX = 60_000;

export function stepsOf(cluster: Pick<Cluster, 'folder' | 'node'>, shell: Shell): readonly Step[] {
  const [first, second, third] = ['validator-0', 'validator-1', 'validator-2'].map(cluster.node) as [
    ClusterNode,
    ClusterNode,
    ClusterNode,
  ];
  const rotations = [first, second, third, cluster.node(NEWCOMER)];
  return [
    addition(shell, cluster.node(NEWCOMER), [first, second, third]),
    removal(shell, cluster.node(REMOVED), [first, second, third, cluster.node(NEWCOMER)]),
    ...rotations.map((node) => rotation(shell, node, node === first ? second : first)),
    blockLimit(cluster, shell, [first, second, third]),
  ];
}

function addition(shell: Shell, node: ClusterNode, governors: readonly ClusterNode[]): Step {
  const { slipstream } = shell;
  const { name, url, networkPort } = node;
  return {
    what: `${NEWCOMER_NAME} (${name}) is added`,
    guide: 'add-a-validator.md',
    async play(epoch) {
      const address = `127.0.0.1:${networkPort}`;
      await slipstream('validator', 'candidate', '--home', name, '--name', NEWCOMER_NAME, '--address', address);
      await nameBlsKey(node);
      await node.process.stop();
      node.process.start();
      await slipstream('status', '--url', url, '--wait', '60');
      await decide(shell, governors, '--add', `${name}/validator.json`, '--weight', '1');
      await begun(shell, url, epoch);
      await slipstream('status', '--url', url, '--signing', '--wait', '60');
    },
  };
}

function removal(shell: Shell, { name, url }: ClusterNode, governors: readonly ClusterNode[]): Step {
  return {
    what: `${name} is removed`,
    guide: 'remove-a-validator.md',
    async play(epoch) {
      await decide(shell, governors, '--remove', name);
      await begun(shell, url, epoch);
      await retire(shell, name, governors[0]?.url ?? url, 'erased');
    },
  };
}

/** Both keys of a validator; `other` answers which ones are in force. */
function rotation(shell: Shell, node: ClusterNode, other: ClusterNode): Step {
  const { slipstream } = shell;
  const { name, url, client } = node;
  return {
    what: `BLS and network key of ${name} are rotated`,
    guide: 'rotate-a-validator.md',
    async play(epoch) {
      await slipstream('validator', 'rotate', '--home', name, '--key', operatorFile(node));
      await begun(shell, url, epoch);
      await slipstream('status', '--url', url, '--signing', '--wait', '60');
      await eventually(`${name} has its new network key`, RENAMED_MS_MAX, async () => {
        const [{ node: own }, { members }] = [await client.status(), await client.epoch(epoch)];
        return members.some(({ peer }) => peer === own.peer) || undefined;
      });
      await retire(shell, name, other.url, 'keys/next/bls.keystore.json is keys/bls.keystore.json now');
    },
  };
}

/** A smaller block: one sixteenth less of each dimension. */
function blockLimit({ folder }: Pick<Cluster, 'folder'>, shell: Shell, governors: readonly ClusterNode[]): Step {
  const url = governors[0]?.url ?? '';
  return {
    what: 'the limits of a block are lowered',
    guide: 'change-parameters.md',
    async play(epoch) {
      const answer = await shell.slipstream('epochs', 'current', '--parameters', '--url', url);
      const parameters = JSON.parse(answer) as Pick<EpochRecordJson['parameters'], 'fees' | 'times'>;
      const limits = parameters.fees.limits.map((limit) => String(BigInt(limit) - BigInt(limit) / 16n));
      const changed = { ...parameters, fees: { ...parameters.fees, limits } };
      await writeFile(join(folder, 'parameters.json'), JSON.stringify(changed, null, 2));
      await decide(shell, governors, '--parameters', 'parameters.json');
      await begun(shell, url, epoch);
      const now = await shell.slipstream('epochs', 'current', '--parameters', '--url', url);
      const { fees } = JSON.parse(now) as typeof parameters;
      if (fees.limits.join() !== limits.join()) throw new Error(`the limits of epoch ${epoch} are ${fees.limits}`);
    },
  };
}

async function begun({ slipstream }: Shell, url: string, epoch: number): Promise<void> {
  await slipstream('epochs', String(epoch), '--wait', '110', '--url', url);
}

async function retire({ slipstream }: Shell, home: string, url: string, expected: string): Promise<void> {
  const answer = await slipstream('keys', 'retire', '--home', home, '--url', url);
  if (!answer.includes(expected)) throw new Error(`keys retire of ${home} answered: ${answer}`);
}
