import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unitsToJson } from '@slipstream/schema';
import { expect, onTestFinished, test } from 'vitest';
import { statusOf } from '../../../../packages/api/test/fake-node.ts';
import { genesis } from '../../../../packages/client/test/real-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/** Accepts a request and closes the connection without an answer. */
async function unresponsiveNode(): Promise<string> {
  const server = createServer((request, response) => {
    const none = unitsToJson([]);
    const units = { prices: none, minimumPrices: none, targets: none, limits: none };
    const fees = { height: 7, ...units, windowBlocks: 100, windowEndsAt: 100 };
    const status = { ...statusOf(genesis, 7), genesisHash: `0x${'11'.repeat(32)}` };
    const body = JSON.stringify(request.url?.startsWith('/v1/fees') ? fees : status);
    if (request.method === 'GET') response.setHeader('content-type', 'application/json').end(body);
    else request.resume().on('end', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a payment whose answer is lost is named, with the time during which it may still be included', async () => {
  const terminal = capturedTerminal('/', new Uint8Array(0));
  const line = `tx transfer --to 0x01${'aa'.repeat(32)} --amount 5 --key 0x${'07'.repeat(32)} --url ${await unresponsiveNode()}`;
  expect(await runCommandLine(line.split(' '), terminal)).toBe(1);
  const errors = terminal.errLines.join('\n');
  expect(errors).toMatch(/slipstream tx show 0x[0-9a-f]{64}/);
  expect(errors).toMatch(/Until \d{4}-\d\d-\d\dT.*sign no other one/);
});
