/** Commands that verify offline follow the handovers that they are given. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateToJson, handoverToJson, proofToJson } from '@slipstream/schema';
import { asId, genesisToJson, NO_RECORD, type StateDigest, type TransactionId } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import { proveReceipt, receiptsOf } from '../../../../packages/client/test/real-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { epochChain } from '../../../../packages/crypto/test/epoch-chain.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const chain = await epochChain('cli-epochs', { members: 4, epochs: 2, rotations: () => 4 });
const handovers = chain.handovers.map(handoverToJson);

async function run(files: Readonly<Record<string, unknown>>, ...words: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'epochs-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, json] of Object.entries({ ...files, genesis: genesisToJson(chain.genesis) })) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(json));
  }
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine([...words, '--genesis', 'genesis.json'], terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

test('tx verify-proof follows the handovers in the file of the proof', async () => {
  const at = chain.preimage(2, NO_RECORD);
  const proof = proveReceipt(receiptsOf([asId<TransactionId>(new Uint8Array(32).fill(1))], at.height), 0);
  const preimage = proof.preimages[0] as (typeof proof.preimages)[number];
  const json = proofToJson({ ...proof, certificate: await chain.certify(2, preimage) });
  const words = ['tx', 'verify-proof', 'proof.json'];
  const verified = await run({ proof: { ...json, epochs: handovers } }, ...words);
  expect(verified.code, verified.out).toBe(0);
  expect(verified.out).toContain('epochs      ok     epoch 2, 4 validators');
  const without = await run({ proof: json }, ...words);
  expect(without.code).toBe(1);
  expect(without.out).toContain('REFUSED at step epochs: the committee of epoch 2 is not known');
});

test('evidence blame follows the handovers of a file, and says when they are missing or false', async () => {
  const side = async (digest: number, by: readonly number[]) => {
    const parentDigest = asId<StateDigest>(new Uint8Array(32).fill(digest));
    return certificateToJson(await chain.certify(1, { ...chain.preimage(1, NO_RECORD), parentDigest }, by));
  };
  const files = { a: await side(1, [0, 1, 2]), b: await side(2, [1, 2, 3]), page: { items: handovers, next: null } };
  const words = ['evidence', 'blame', 'a.json', 'b.json'];
  const blamed = await run(files, ...words, '--handovers', 'page.json');
  expect(blamed.code, blamed.out + blamed.err).toBe(0);
  expect(blamed.out).toContain('validators 1, 2 signed both, against I5');
  const without = await run(files, ...words);
  expect(without.code).toBe(1);
  expect(without.out).toContain('the committee of epoch 1 is not known');
  const bad = await run({ ...files, page: handovers.slice(1) }, ...words, '--handovers', 'page.json');
  expect(bad.err).toContain('page.json: handover of epoch 0: its certificate is of another epoch');
});
