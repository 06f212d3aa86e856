/** Commands on a host through the system's ssh: its configuration, agent and known hosts apply. */
import { spawn } from 'node:child_process';
import { CodedError } from '@slipstream/primitives';
import type { Host } from './host-list.ts';

/**
 * - `unreachable`: ssh itself failed.
 * - `failed`: the command on the host ended with another code than 0.
 */
export class RemoteError extends CodedError<'unreachable' | 'failed'> {}

export interface Remote {
  readonly host: Host;
  /** A POSIX shell's script; resolves with its output. Throws RemoteError. */
  run(script: string): Promise<string>;
  /** Unpacks files of this machine into a folder of the host. */
  send(files: TarSource, folder: string): Promise<void>;
}

/** Paths below a folder of this machine. */
interface TarSource {
  readonly from: string;
  readonly paths: readonly string[];
}

const CONNECT_SECONDS = 15;
/** As ssh reports its own failures. */
const SSH_FAILED = 255;
const OUTPUT_SHOWN = 2_000;

/** `sshOptions`: further options of ssh, such as `-i FILE`. */
export function createRemote(host: Host, sshOptions: readonly string[] = []): Remote {
  const ssh = [
    ...['-o', 'BatchMode=yes', '-o', `ConnectTimeout=${CONNECT_SECONDS}`, '-p', String(host.port)],
    ...sshOptions,
    host.destination,
  ];

  async function remotely(script: string, input?: ReturnType<typeof tar>): Promise<string> {
    const child = spawn('ssh', [...ssh, script], { stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] });
    const output = { out: '', err: '' };
    child.stdout?.on('data', (bytes: Buffer) => {
      output.out += bytes;
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      output.err = (output.err + bytes).slice(-OUTPUT_SHOWN);
    });
    if (input && child.stdin) {
      // The host's end of the pipe may close first; its exit code says why.
      child.stdin.on('error', () => {});
      input.stdout?.pipe(child.stdin);
    }
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (ended) => resolve(ended ?? SSH_FAILED));
    });
    if (code === 0) return output.out;
    const detail = output.err.trim() || output.out.trim().slice(-OUTPUT_SHOWN);
    throw new RemoteError(
      code === SSH_FAILED ? 'unreachable' : 'failed',
      `${host.destination}: ${detail || `exit code ${code}`}`,
    );
  }

  return {
    host,
    run: (script) => remotely(script),
    async send(files, folder) {
      const target = quote(folder);
      await remotely(`mkdir -p ${target} && tar -x -z -f - -C ${target}`, tar(files));
    },
  };
}

function tar({ from, paths }: TarSource) {
  const child = spawn('tar', ['-c', '-z', '-f', '-', '-C', from, '-T', '-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  child.stdin.end(paths.map((path) => `${path}\n`).join(''));
  return child;
}

/** One word of a POSIX shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
