/** `slipstream app dev` as a child process of the pinned Node, known by its lines of JSON. It ends with this process. */
import { spawn } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { compileCache, pinnedNode, root } from '@slipstream/checkout';
import { endWithProcess } from './end-with-process.ts';
import { eventually } from './temporary-network.ts';

/** As the command prints it with --json. */
interface DevelopmentLine {
  readonly event: 'ready' | 'reloaded' | 'refused';
  readonly [name: string]: unknown;
}

export interface AppDevelopment {
  readonly url: string;
  /** Writes a version into the application's file. Resolves with what the command says of it. */
  save(text: string): Promise<DevelopmentLine>;
  /** Resolves with the exit code. Idempotent. */
  stop(): Promise<number | null>;
}

const LINE_MS_MAX = 120_000;

/** `file`: of the application, absolute; its folder has the kits. */
export async function startAppDevelopment(file: string): Promise<AppDevelopment> {
  const node = pinnedNode(root);
  if (node === undefined) throw new Error('the pinned Node is not installed: run "npm run setup"');
  const words = [join(root, 'apps/node/bin/main.mjs'), 'app', 'dev', basename(file), '--api-port', '0', '--json'];
  const child = spawn(node, words, {
    cwd: dirname(file),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...compileCache(root) },
  });
  const release = endWithProcess(child);
  const exited = new Promise<number | null>((done) => {
    child.once('exit', (code) => {
      release();
      done(code);
    });
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const lines = () => output.split('\n').slice(0, -1);

  async function line(at: number): Promise<DevelopmentLine> {
    const found = await eventually('a line of app dev', LINE_MS_MAX, async () => {
      if (child.exitCode !== null) throw new Error(`app dev ended with ${child.exitCode}`);
      return lines()[at];
    });
    return JSON.parse(found) as DevelopmentLine;
  }

  return {
    url: String((await line(0)).url),
    async save(text) {
      const before = lines().length;
      // Whole at once, also on a busy machine.
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
      return line(before);
    },
    stop() {
      child.kill('SIGINT');
      return exited;
    },
  };
}
