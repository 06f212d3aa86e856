/** Shrinks a failure of a broken rule, by the command line. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatTrim, parseTrim } from './harness/trim.ts';
import { kindOf } from './shrink.ts';

const program = fileURLToPath(new URL('../../scripts/sim.ts', import.meta.url));
const hook = new URL('./mutations/hook.ts', import.meta.url).href;

async function sim(words: readonly string[], mutation?: string): Promise<{ code: number | null; output: string }> {
  const mutated = mutation === undefined ? [] : ['--import', hook];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...mutated, program, ...words, '--threads', '0'],
    { env: { ...process.env, SLIPSTREAM_MUTATION: mutation }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += String(bytes);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

describe('shrinking', () => {
  it('finds the one necessary power cut of sixty, and prints a command that replays it', async () => {
    const scenario = ['--scenario', 'equivocator-and-restarts', '--nodes', '7', '--seeds', '1'];
    const { code, output } = await sim(scenario, 'votes-not-restored');
    expect(code).toBe(1);
    expect(output).toMatch(/the least that fails in the same way.*: 4 nodes, 1 liars, 1 faults, \d views/);
    const command = output.trimEnd().split('\n').at(-1) as string;
    expect(command).toMatch(/npm run sim -- --scenario equivocator-and-restarts --nodes 4 .*--trim ".*" --replay$/);
    const words = command
      .slice(command.indexOf('-- ') + 3)
      .replaceAll('"', '')
      .split(' ');

    const again = await sim(words, 'votes-not-restored');
    expect(again.code).toBe(1);
    expect(again.output).toContain('--- view 1, led by');
    expect(again.output).toContain('I1: one Notarize per view');
    expect((again.output.match(/ crashed, unsynced bytes/g) ?? []).length).toBe(1);

    // The unchanged code bears the same faults.
    expect((await sim(words)).code).toBe(0);
  });

  it('prints the remaining faults in a form that is read back', () => {
    for (const text of ['', 'faults=3,7', 'faults=none;liars=2', 'liars=none;calm=loss,jitter;hurry=0.25']) {
      expect(formatTrim(parseTrim(text))).toBe(text);
    }
    expect(() => parseTrim('calm=noise')).toThrow('calm takes loss');
    expect(() => parseTrim('faults=all')).toThrow('takes numbers');
    expect(() => parseTrim('fault=1')).toThrow('takes faults');
  });

  it('treats two failures as one kind when only times and numbers differ', () => {
    const at = (height: number) => `liveness: height ${height} final not within 20000 ms (at 5 ms: heights 1,2)`;
    expect(kindOf(at(7))).toBe(kindOf(at(12)));
    expect(kindOf(at(7))).not.toBe(kindOf('messages: I1: one Notarize per view (seed 4)'));
  });
});
