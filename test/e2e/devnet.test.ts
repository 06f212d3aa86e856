/** `npm run devnet`: its last line reports what happened, and it leaves nothing behind. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { freePortRange, takenPorts } from '@slipstream/devnet';
import { expect, test } from 'vitest';
import type { Summary } from '../../scripts/devnet/summary.ts';

const run = promisify(execFile);
const VALIDATORS = 4;

test('a network with a full node, under load, prints a summary as one JSON line', async () => {
  const base = await freePortRange(2 * (VALIDATORS + 1));
  const ports = ['--network-port', String(base), '--api-port', String(base + VALIDATORS + 1)];
  const shape = ['--validators', String(VALIDATORS), '--fullnodes', '1', '--load', '50', '--exit-after', '8'];
  const { stdout, stderr } = await run(
    process.execPath,
    ['scripts/bootstrap.mjs', 'devnet', ...shape, ...ports, '--json'],
    {
      cwd: root,
    },
  );

  const summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Summary;
  expect(summary).toMatchObject({ validators: VALIDATORS, fullNodes: 1, errors: [] });
  expect(summary.heights).toHaveLength(VALIDATORS + 1);
  expect(Math.min(...summary.heights.map((height) => height ?? 0))).toBeGreaterThan(0);
  expect(summary.blocks).toBeGreaterThan(0);
  const { accepted, final, failed, expired, lost, pending } = summary.transactions;
  expect(accepted).toBeGreaterThan(0);
  expect({ final, failed, expired, lost, pending }).toEqual({
    final: accepted,
    failed: 0,
    expired: 0,
    lost: 0,
    pending: 0,
  });
  expect(summary.nodes.map(({ restarts, errors }) => ({ restarts, errors }))).toEqual(
    Array.from({ length: VALIDATORS + 1 }, () => ({ restarts: 0, errors: 0 })),
  );
  expect(stderr).toContain('full-node-0');
  const used = Array.from({ length: 2 * (VALIDATORS + 1) }, (_, index) => base + index);
  expect(await takenPorts(used)).toEqual([]);
});

test('a port in use is reported, with the exit code of a failure', async () => {
  const base = await freePortRange(2);
  const { createServer } = await import('node:net');
  const server = createServer().listen(base, '127.0.0.1');
  try {
    const args = [
      'scripts/devnet.ts',
      '--validators',
      '1',
      '--network-port',
      String(base),
      '--api-port',
      String(base + 1),
    ];
    const failure: unknown = await run(process.execPath, args, { cwd: root }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${base} is in use`) });
  } finally {
    server.close();
  }
});

test('invalid networks are refused before they are created: an unknown validator, overlapping ports', async () => {
  const asked = ['--corrupt', '4', '--network-port', '9000', '--api-port', '9002'];
  const failure: unknown = await run(process.execPath, ['scripts/devnet.ts', ...asked], { cwd: root }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--corrupt 4: the last of 4 validators is 3'),
  });
  expect(failure).toMatchObject({ stderr: expect.stringContaining('are closer than the 4 that each needs') });
});
