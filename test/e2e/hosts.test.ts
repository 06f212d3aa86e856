/** A network on hosts over SSH, with a real SSH server on this machine. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { freePortRange } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SSHD = '/usr/sbin/sshd';
const run = promisify(execFile);

let folder: string;
let port: number;
let server: ReturnType<typeof spawn>;
/** Two names of this machine. */
let listed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-hosts-'));
  port = await freePortRange(9);
  for (const key of ['host-key', 'key'])
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key)]);
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(folder, 'host-key')}`,
    `AuthorizedKeysFile ${join(folder, 'key.pub')}`,
    `PidFile ${join(folder, 'sshd.pid')}`,
    'StrictModes no',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
  ];
  await writeFile(join(folder, 'sshd.conf'), `${settings.join('\n')}\n`);
  await mkdir('/run/sshd', { recursive: true }).catch(() => {}); // where the server needs it, it may be created
  server = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'sshd.conf')], { stdio: 'ignore' });
  await untilListening();
  const user = userInfo().username;
  listed = `${user}@127.0.0.1:${port} # this machine\n${user}@localhost:${port} 127.0.0.1\n`;
  await writeFile(join(folder, 'hosts.txt'), listed);
});

afterAll(async () => {
  // Nodes outlive the command that started them.
  await writeFile(join(folder, 'hosts.txt'), listed);
  await hosts('down', '--remove');
  server?.kill();
  await rm(folder, { recursive: true, force: true });
});

async function untilListening(): Promise<void> {
  for (;;) {
    const connected = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => socket.destroy());
    });
    if (connected) return;
    await sleep(50);
  }
}

async function hosts(action: string, ...more: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const ssh = `-i ${join(folder, 'key')} -o StrictHostKeyChecking=no -o UserKnownHostsFile=${join(folder, 'known')}`;
  const words = [
    ...[join(root, 'scripts/hosts.ts'), action, '--hosts', join(folder, 'hosts.txt'), '--dir', join(folder, 'chain')],
    ...['--remote-dir', join(folder, 'remote'), '--program', root, '--ssh-options', ssh],
    ...['--network-port', String(port + 1), '--api-port', String(port + 5), ...more],
  ];
  return run(process.execPath, words).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  );
}

test('a chain starts on the hosts, is continued with the same keys after a stop, and is deleted', async () => {
  const started = await hosts('up', '--validators', '3', '--fullnodes', '1', '--json');
  expect([started.code, started.err]).toEqual([0, expect.any(String)]);
  const { nodes } = JSON.parse(started.out) as { nodes: readonly { name: string; host: string; height: number }[] };
  expect(nodes.map(({ name }) => name)).toEqual(['validator-0', 'validator-1', 'validator-2', 'full-node-0']);
  expect(new Set(nodes.map(({ host }) => host)).size).toBe(2);

  expect((await hosts('down')).code).toBe(0);
  const stopped = await hosts('status', '--json');
  expect(stopped.code).toBe(1);
  const key = () => readFile(join(folder, 'remote/validator-0/keys/peer.key')).catch(() => undefined);
  const before = await key();

  const again = await hosts('up', '--json');
  expect(again.code).toBe(0);
  const heights = (JSON.parse(again.out) as { nodes: readonly { height: number }[] }).nodes.map(({ height }) => height);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(Math.max(...nodes.map(({ height }) => height)));
  expect(await key()).toEqual(before);

  expect((await hosts('down', '--remove')).code).toBe(0);
  await expect(readFile(join(folder, 'remote/validator-0/config.yaml'))).rejects.toThrow('ENOENT');
});

test('a host that does not take the key is named', async () => {
  await writeFile(join(folder, 'hosts.txt'), `stranger@127.0.0.1:${port}\n`);
  const refused = await hosts('up', '--json');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('stranger@127.0.0.1');
});
