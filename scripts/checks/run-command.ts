import { spawn } from 'node:child_process';

export interface CommandResult {
  readonly code: number;
  /** Both streams, in order. */
  readonly output: string;
}

/** Runs a program to its end. A missing program has code 127. */
export function runCommand(program: string, args: readonly string[], folder?: string): Promise<CommandResult> {
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(folder && { cwd: folder }) });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', (error) => done({ code: 127, output: `${output}${error.message}` }));
    child.once('close', (code) => done({ code: code ?? 1, output }));
  });
}
