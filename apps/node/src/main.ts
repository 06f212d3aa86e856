/** The program `slipstream`: the process around the command line. */
import { buffer } from 'node:stream/consumers';
import { failureOf } from './cli/failure.ts';
import { runCommandLine } from './cli/run.ts';
import type { Terminal } from './cli/terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const terminal: Terminal = {
  environment: process.env,
  folder: process.cwd(),
  interactive: process.stderr.isTTY === true,
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  async readInput(bytesMax) {
    const bytes = await buffer(process.stdin);
    if (bytes.length > bytesMax) throw new RangeError(`standard input has more than ${bytesMax} bytes`);
    return bytes;
  },
  exit: (code) => process.exit(code),
  onSignals(onSignal) {
    const listeners = SIGNALS.map((signal) => [signal, () => onSignal(signal)] as const);
    for (const [signal, listener] of listeners) process.on(signal, listener);
    return () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    };
  },
};

/** Whoever read our output may leave first; that is no failure. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

process.on('uncaughtException', dieOf);
process.on('unhandledRejection', dieOf);

function dieOf(error: unknown): never {
  const { exitCode, message } = failureOf(error);
  process.stderr.write(`slipstream: stopped at once: ${message}\n`);
  process.exit(exitCode);
}

const code = await runCommandLine(process.argv.slice(2), terminal);
process.stdout.write('', () => process.exit(code));
