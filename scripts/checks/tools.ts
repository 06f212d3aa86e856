/** Tools for checks that a machine may lack, installed into a folder of the checkout: the machine is not changed. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { runCommand } from './run-command.ts';

const folder = join(root, '.bootstrap', 'tools');

/** Throws with the program's output when a step fails. */
async function must(program: string, args: readonly string[], workingFolder?: string): Promise<string> {
  const { code, output } = await runCommand(program, args, workingFolder);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed (${code}):\n${output.slice(-2000)}`);
  return output;
}

/** Installs a Python package into its own environment. Returns the program's path. */
export async function pythonProgram(name: string, requirement: string): Promise<string> {
  const environment = join(folder, name);
  const program = join(environment, 'bin', name);
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  await must('python3', ['-m', 'venv', '--clear', environment]);
  await must(join(environment, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', requirement]);
  return program;
}

/** Extracts one program of a Debian package, without installing it. Undefined where it is not available. */
export async function debianProgram(debianPackage: string, pathInPackage: string): Promise<string | undefined> {
  const unpacked = join(folder, debianPackage);
  const program = join(unpacked, pathInPackage);
  if (existsSync(program)) return program;
  if ((await runCommand('apt-get', ['--version'])).code !== 0) return undefined;
  const downloads = await mkdtemp(join(tmpdir(), 'slipstream-tools-'));
  try {
    const download = () => runCommand('apt-get', ['download', '--quiet', debianPackage], downloads);
    if ((await download()).code !== 0) {
      // A new machine has no package lists; without the right to fetch them the program is not available.
      await runCommand('apt-get', ['update', '--quiet']);
      if ((await download()).code !== 0) return undefined;
    }
    const [archive] = (await readdir(downloads)).filter((name) => name.endsWith('.deb'));
    await mkdir(unpacked, { recursive: true });
    await must('dpkg-deb', ['--extract', join(downloads, archive ?? ''), unpacked]);
  } finally {
    await rm(downloads, { recursive: true });
  }
  return program;
}
