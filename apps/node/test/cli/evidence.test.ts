import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { to0x } from '@slipstream/primitives';
import { asId, type BlockId, GENESIS_EPOCH, genesisToJson, subjectMessage, view, voteCodec } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import { genesis, genesisHash, memberSignature } from '../../../../packages/client/test/real-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/** A node that serves this evidence, one item per page. */
async function nodeWith(items: readonly object[]): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    const at = Number(searchParams.get('cursor') ?? 0);
    const page =
      pathname === '/v1/handovers'
        ? { items: [], next: null }
        : { items: items.slice(at, at + 1), next: at + 1 < items.length ? String(at + 1) : null };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function vote(fill: number, signer: number): string {
  const blockId = asId<BlockId>(new Uint8Array(32).fill(fill));
  const subject = { kind: 'notarize', epoch: GENESIS_EPOCH, view: view(7), blockId } as const;
  const signature = memberSignature(signer, subjectMessage(genesisHash, subject));
  return to0x(voteCodec.encode({ subject, signer, signature }));
}

async function evidence(items: readonly object[]) {
  const folder = await mkdtemp(join(tmpdir(), 'evidence-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'genesis.json'), JSON.stringify(genesisToJson(genesis)));
  const terminal = capturedTerminal(folder);
  const line = ['evidence', '--genesis', 'genesis.json', '--url', await nodeWith(items)];
  return { code: await runCommandLine(line, terminal), output: terminal.outLines.join('\n') };
}

const item = (offender: number) => ({
  type: 'votes',
  epoch: 0,
  offender,
  view: 7,
  first: vote(1, offender),
  second: vote(2, offender),
});

test('evidence of a node is checked, every page of it', async () => {
  const { code, output } = await evidence([item(1), item(3)]);
  expect(code, output).toBe(0);
  expect(output).toMatch(
    /^validator 1 of epoch 0, key 0x[0-9a-f]{96}, signed both\n {2}0\/notarize\/7\/01.*\n {2}0\/notarize\/7\/02/,
  );
  expect(output).toContain('validator 3 of epoch 0, key');
});

test('evidence without valid signatures is reported, with exit code 1', async () => {
  const { code, output } = await evidence([item(1), { ...item(3), offender: 0 }]);
  expect(code).toBe(1);
  expect(output).toContain('validator 0 of epoch 0, votes: DOES NOT HOLD: ');
});

test('a malformed item is reported, hides no other, and the exit code is 1', async () => {
  const { code, output } = await evidence([item(1), { type: 'foo' }, item(3), { ...item(3), type: 'tomorrow' }]);
  expect(code).toBe(1);
  expect(output).toContain('validator 1 of epoch 0, key');
  expect(output).toContain('validator 3 of epoch 0, key');
  expect(output).toMatch(/^item 2: DOES NOT HOLD: malformed: .*offender/m);
  expect(output).toMatch(/^item 4: DOES NOT HOLD: malformed: \/type /m);
});

test('no evidence is reported as such', async () => {
  expect(await evidence([])).toEqual({ code: 0, output: 'no evidence against any validator' });
});
