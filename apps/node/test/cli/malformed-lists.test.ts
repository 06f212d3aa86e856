import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const PEER = {
  peer: `0x${'ab'.repeat(32)}`,
  validator: 2,
  role: 'validator',
  connected: true,
  address: null,
  roundTripMs: 1,
  bytesIn: 0,
  bytesOut: 0,
  framesDropped: 0,
  queuedBytes: 0,
  blocked: null,
};
const ACT = { atMs: 1, act: 'drain', address: '127.0.0.1', outcome: 'done', detail: '' };

/** Of a node that answers everything with this. */
async function answered(answer: unknown, ...words: readonly string[]) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { SLIPSTREAM_ADMIN_TOKEN: 'token-of-the-operator' };
  const terminal = { ...capturedTerminal('.'), environment };
  const code = await runCommandLine([...words, '--url', url], terminal);
  return { code, output: terminal.outLines.join('\n'), errors: terminal.errLines.join('\n') };
}

test('a malformed peer is reported beside the others', async () => {
  const { code, output } = await answered({ items: [{ ...PEER, roundTripMs: 'soon' }, null, PEER] }, 'peers', 'list');
  expect(code).toBe(0);
  expect(output).toContain(`${PEER.peer}  validator 2`);
  expect(output).toContain('item 1: malformed: /roundTripMs must be');
  expect(output).toContain('item 2: malformed: must be object');
});

test('a malformed entry of the audit log is reported beside the others', async () => {
  const { output, errors } = await answered({ items: [{ ...ACT, atMs: 'today' }, ACT] }, 'admin', 'audit');
  expect(output, errors).toContain('1970-01-01T00:00:00.001Z  drain  done  from 127.0.0.1');
  expect(output).toContain('item 1: malformed: /atMs must be');
});

test('a malformed answer ends a command with the reason, not with an internal error', async () => {
  for (const words of [['peers', 'list'], ['status'], ['admin', 'audit']]) {
    const { code, errors } = await answered({ items: 'all', node: null, alerts: 5 }, ...words);
    expect(code).toBe(1);
    expect(errors).toContain('is not what a Slipstream node says');
  }
});
