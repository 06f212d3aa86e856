/** tx verify-proof takes proofs of rows of distilled batches, as JSON and as bytes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certifiedRowProofCodec } from '@slipstream/distilled';
import { genesisToJson } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import { AT, idOf, proofJsonOf, proofOf } from '../../../../packages/client/test/certified-rows.ts';
import { genesis } from '../../../../packages/client/test/real-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

async function verify(proof: string | Uint8Array, ...words: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'rows-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'genesis.json'), JSON.stringify(genesisToJson(genesis)));
  await writeFile(join(folder, 'proof'), proof);
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine(['tx', 'verify-proof', 'proof', '--genesis', 'genesis.json', ...words], terminal);
  return { code, out: terminal.outLines.join('\n') };
}

const json = proofJsonOf(3);
const text = JSON.stringify(json);

test('a row is verified step by step, and shown with its outcome', async () => {
  const { code, out } = await verify(text);
  expect(code, out).toBe(0);
  expect(out).toContain(
    `VERIFIED: row ${idOf(3)} (index 3 to index 4, amount 13, sequence 1) is failed at height ${AT}`,
  );
  expect(out).toMatch(/outcome +ok/);
  const answer = JSON.parse((await verify(text, '--json')).out) as object;
  expect(answer).toMatchObject({ verified: true, rowId: idOf(3), outcome: { code: 'insufficient-balance' } });
});

test('bytes are of the row that --id names, and of no other', async () => {
  const bytes = certifiedRowProofCodec.encode(proofOf(3));
  expect((await verify(bytes, '--id', idOf(3))).code).toBe(0);
  const other = await verify(bytes, '--id', idOf(80));
  expect(other.code).toBe(1);
  expect(other.out).toContain('REFUSED at step row');
});

test('a false outcome, another row and a changed bit are refused', async () => {
  const outcome = await verify(JSON.stringify({ ...json, outcome: { status: 'success' } }));
  expect(outcome.code).toBe(1);
  expect(outcome.out).toContain('REFUSED at step claims: /outcome');
  const flipped = json.ssz.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  expect((await verify(JSON.stringify({ ...json, ssz: flipped }))).code).toBe(1);
  expect((await verify(text, '--id', idOf(4))).out).toContain('REFUSED at step form');
});
