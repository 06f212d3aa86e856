/** Docker and compose as commands. Without them tests fail, none is skipped. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Outcome {
  readonly code: number;
  readonly output: string;
  /** Output, then errors. */
  readonly text: string;
}

/** For an uncached build. */
const COMMAND_MS_MAX = 840_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

type Environment = Readonly<Record<string, string>>;

export function attempt(words: readonly string[], environment: Environment = {}): Promise<Outcome> {
  const [file = '', ...args] = words;
  const options = {
    cwd: root,
    env: { ...process.env, ...environment },
    timeout: COMMAND_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
  };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      const failure = error !== null && stderr === '' ? error.message : stderr;
      resolve({ code, output: stdout.trim(), text: `${stdout}${failure}`.trim() });
    });
  });
}

export async function run(words: readonly string[], environment: Environment = {}): Promise<string> {
  const { code, output, text } = await attempt(words, environment);
  if (code !== 0) throw new Error(`"${words.join(' ')}" ended with ${code}: ${text.slice(-2_000)}`);
  return output;
}

/** Compose version 2, or the older program. Throws what to install or start. */
export async function findCompose(): Promise<readonly string[]> {
  const engine = await attempt(['docker', 'info']);
  if (engine.code !== 0) {
    throw new Error(
      `these tests need a running Docker engine, and "docker info" failed: ${engine.text.slice(-300)}\n` +
        'Install docker and start dockerd (systemctl start docker), then run "npm run test:compose" again.',
    );
  }
  for (const words of [['docker', 'compose'], ['docker-compose']]) {
    if ((await attempt([...words, 'version'])).code === 0) return words;
  }
  throw new Error('these tests need compose: neither "docker compose version" nor "docker-compose version" works');
}

export interface Project {
  readonly name: string;
  /** Throws on failure. */
  compose(...words: readonly string[]): Promise<string>;
  attemptCompose(environment: Environment, ...words: readonly string[]): Promise<Outcome>;
  /** Name of the n-th container, from 1; running or not. */
  container(service: string, number?: number): Promise<string>;
  /** A field of `docker inspect`, as a Go template. */
  inspect(container: string, template: string): Promise<string>;
  /** End of the log of every container. */
  logs(): Promise<string>;
  /** Names with the project's label. */
  leftovers(): Promise<readonly string[]>;
}

export async function openProject(name: string, environment: Environment): Promise<Project> {
  const words = [...(await findCompose()), '-p', name];
  const label = `label=com.docker.compose.project=${name}`;

  async function container(service: string, number = 1): Promise<string> {
    const filters = [
      label,
      `label=com.docker.compose.service=${service}`,
      `label=com.docker.compose.container-number=${number}`,
    ].flatMap((filter) => ['--filter', filter]);
    const found = await run(['docker', 'ps', '--all', ...filters, '--format', '{{.Names}}']);
    if (found === '' || found.includes('\n')) throw new Error(`container ${number} of ${service}: found "${found}"`);
    return found;
  }

  return {
    name,
    compose: (...rest) => run([...words, ...rest], environment),
    attemptCompose: (more, ...rest) => attempt([...words, ...rest], { ...environment, ...more }),
    container,
    inspect: (of, template) => run(['docker', 'inspect', '--format', template, of]),
    logs: async () => (await attempt([...words, 'logs', '--tail', '15'], environment)).text,
    async leftovers() {
      const lists = [
        ['ps', '--all', '--format', '{{.Names}}'],
        ['volume', 'ls', '--format', '{{.Name}}'],
        ['network', 'ls', '--format', '{{.Name}}'],
      ];
      const names = await Promise.all(lists.map((list) => run(['docker', ...list, '--filter', label])));
      return names.flatMap((text) => text.split('\n')).filter((found) => found !== '');
    },
  };
}
