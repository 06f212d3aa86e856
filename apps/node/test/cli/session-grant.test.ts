/** Which calls `session grant --actions` lets a session make. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { to0x } from '@slipstream/primitives';
import { genesisHashOf, height, scopeOf, transactionCodec } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApi, runApi } from '../../../../packages/api/test/running-api.ts';
import { storedReads } from '../../../../packages/api/test/stored-reads.ts';
import { genesis } from '../../../../packages/client/test/real-chain.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { builtApplication, exampleSource } from '../../../../packages/execution/test/application-builders.ts';
import { storedGenesis } from '../../../../packages/execution/test/application-state.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let api: RunningApi;
const submitted: Uint8Array[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-grant-'));
  const questions = await builtApplication(
    new URL('../../../../packages/execution/test/applications/questions.ts', import.meta.url),
  );
  const token = await builtApplication(exampleSource('token'));
  const start = { ...genesis, applications: [questions.inGenesis({ count: 3 }), token.inGenesis({ holders: [] })] };
  const stored = storedGenesis(questions, { count: 3 });
  api = await runApi({
    backend: {
      genesis: start,
      applications: storedReads(stored, [[questions, token]], {
        genesisHash: genesisHashOf(genesis),
        height: height(9),
      }),
      async submit(bytes) {
        submitted.push(bytes);
        return { type: 'invalid', reason: 'expired', detail: 'taken down by the test' };
      },
    },
  });
});

afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

async function grant(actions: string, target = api.url) {
  const terminal = capturedTerminal(folder);
  const line = `session grant --key 0x${'07'.repeat(32)} --service wallet.example --target ${target} --max-fee 100000 --url ${api.url}`;
  const code = await runCommandLine([...line.split(' '), '--actions', actions], terminal);
  return { code, err: terminal.errLines.join('\n') };
}

/** The scope that the newest submitted grant names. */
function grantedScope(): number | undefined {
  const decoded = transactionCodec.decode(submitted.at(-1) as Uint8Array);
  const [action] = decoded.ok ? decoded.value.body.actions : [];
  return action?.kind === 'grantSession' ? action.scope : undefined;
}

test('calls of an application are granted by its name, which the target knows by a number', async () => {
  await grant('transfer,call:token');
  expect(grantedScope()).toBe(scopeOf(['transfer', 'call:1']));
});

test('calls are granted by number to a chain that is not asked', async () => {
  await grant('call:3', to0x(new Uint8Array(32).fill(1)));
  expect(grantedScope()).toBe(scopeOf(['call:3']));
});

test('a name that the target does not know is refused, with those that it runs', async () => {
  const before = submitted.length;
  const { code, err } = await grant('call:tokens');
  expect(code).toBe(2);
  expect(err).toContain('"call:tokens"');
  expect(err).toContain('questions, token');
  expect((await grant('call:token', to0x(new Uint8Array(32).fill(1)))).code).toBe(2);
  expect(submitted).toHaveLength(before);
});
