import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyPairFrom, openSession, sessionToJson } from '@slipstream/client';
import { expect, onTestFinished, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { credentialOf, person, sessionOf, testChain } from '../../../../packages/execution/test/session-world.ts';
import { runCommandLine } from '../../src/cli/run.ts';

test('session revoke rejects the session of an identity: the chain would charge for it and reject it', async () => {
  const alice = person('alice');
  const chain = testChain('own', { balances: [alice.account] });
  const made = sessionOf(chain, chain, alice);
  const session = openSession(keyPairFrom(made.key.secret), await credentialOf(chain, made, alice));
  const folder = await mkdtemp(join(tmpdir(), 'revoke-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'session.json'), JSON.stringify(sessionToJson(session)));
  const terminal = capturedTerminal(folder);
  expect(await runCommandLine(['session', 'revoke'], terminal)).toBe(2);
  expect(terminal.errLines.join('\n')).toContain('give --key');
});
