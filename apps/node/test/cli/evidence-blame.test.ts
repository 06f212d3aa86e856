import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { to0x } from '@slipstream/primitives';
import { certificateToJson } from '@slipstream/schema';
import { certificateCodec } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import {
  answerOf,
  blockOf,
  finalize,
  forkedChain,
  nullify,
  viewOf,
} from '../../../../packages/client/test/forked-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/** Members 0 and 1 of four are corrupt. */
const { genesis, sign } = forkedChain([1, 1, 1, 1]);
const block = blockOf('one', 7);
const child = blockOf('child', 8);
const one = JSON.stringify(answerOf(block, await sign(finalize(block), [0, 1, 2])), undefined, 2);
const final = await sign(finalize(child), [0, 1, 3]);
const nullification = await sign(nullify(7), [0, 1, 3]);
/** As answers of a node that are put one after another. */
const other = [answerOf(child, final), viewOf(child)].map((each) => JSON.stringify(each)).join('\n');

const record = (kind: string, payload: Uint8Array) =>
  JSON.stringify({
    type: 'record',
    file: 'wal/1',
    offset: 9,
    sequence: 3,
    kind,
    payload: to0x(payload),
    inOrder: true,
  });
/** As `slipstream wal inspect --json` prints it. */
const log = [
  JSON.stringify({ type: 'segment', file: 'wal/1', bytes: 900 }),
  record('chunk', new Uint8Array(40)),
  record('certificate', certificateCodec.encode(nullification)),
  '',
].join('\n');

async function run(a: string, b: string, ...more: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'blame-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'genesis.json'), JSON.stringify(genesis));
  await writeFile(join(folder, 'a.json'), a);
  await writeFile(join(folder, 'b.json'), b);
  const terminal = capturedTerminal(folder);
  const words = ['evidence', 'blame', 'a.json', 'b.json', '--genesis', 'genesis.json', ...more];
  const code = await runCommandLine(words, terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

test('the culprits of a fork are named, with their signatures, from answers of nodes and the log of one', async () => {
  const { code, out } = await run(one, `${other}\n${log}`);
  expect(code, out).toBe(0);
  expect(out).toContain('validators 0, 1 signed both, against I2');
  expect(out).toMatch(/^ {2}finalize of view 7 0x[0-9a-f]{64}, signers 0, 1, 2, signature 0x[0-9a-f]{192}$/m);
  expect(out).toMatch(/^ {2}nullify of view 7, signers 0, 1, 3, signature 0x[0-9a-f]{192}$/m);
  expect(out).toMatch(/^validator 0: weight 1, key 0x[0-9a-f]{96}$/m);
  expect(out).toMatch(/^BLAMED: weight 2 of 4, more than a third$/m);
});

test('missing certificates are listed, and the exit code is 1', async () => {
  const { code, out } = await run(one, other);
  expect(code).toBe(1);
  expect(out).toMatch(/^NO BLAME \(incomplete\): final block 0x.* does not descend from final block 0x/);
  expect(out).toContain('\n  needed: the nullification of view 7: ');
});

test('JSON has the certificates in the form in which nodes answer, so each can be checked again', async () => {
  const { code, out } = await run(one, JSON.stringify([certificateToJson(nullification)]), '--json');
  expect(code, out).toBe(0);
  const { blamed, culprits, pairs } = JSON.parse(out);
  expect([blamed, culprits.length]).toEqual([true, 2]);
  const again = await run(JSON.stringify(pairs[0].first), JSON.stringify(pairs[0].second), '--json');
  expect(JSON.parse(again.out)).toMatchObject({ blamed: true, weight: 2, totalWeight: 4 });
});

test('a forged certificate and any other file blame no validator', async () => {
  const forged = JSON.stringify({ ...certificateToJson(nullification), signers: [0, 1, 2] });
  expect(await run(one, forged)).toMatchObject({
    code: 1,
    out: expect.stringContaining('NO BLAME (forged): 0/nullify/7'),
  });
  for (const text of ['', '{', 'no JSON', '[1]', '{"type":"foo"}', '\u0000\u0001']) {
    const { code, out } = await run(one, text, '--json');
    expect([code, JSON.parse(out).reason], text).toEqual([1, 'malformed']);
  }
});

test('hexadecimal text is accepted as a certificate', async () => {
  const { code, out } = await run(one, `${to0x(certificateCodec.encode(nullification))}\n`);
  expect(code, out).toBe(0);
});
