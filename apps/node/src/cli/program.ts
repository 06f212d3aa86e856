/** The process around a command line: its streams, its signals, its last words, its exit code. */
import { buffer } from 'node:stream/consumers';
import type { ExitCode } from './command.ts';
import { failureOf } from './failure.ts';
import { plainText } from './plain-text.ts';
import type { Terminal } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Whoever started this process opened a channel to it. */
const hasChannel = process.connected === true;

const processTerminal: Terminal = {
  environment: process.env,
  folder: process.cwd(),
  interactive: process.stderr.isTTY === true,
  out: (text) => void process.stdout.write(`${plainText(text)}\n`),
  err: (text) => void process.stderr.write(`${plainText(text)}\n`),
  draw: (text) => void process.stderr.write(text),
  async readInput(bytesMax) {
    const bytes = await buffer(process.stdin);
    if (bytes.length > bytesMax) throw new RangeError(`standard input has more than ${bytesMax} bytes`);
    return bytes;
  },
  exit: (code) => process.exit(code),
  onSignals(onSignal) {
    let told = false;
    const tell = (signal: string) => {
      told = true;
      onSignal(signal);
    };
    const onDisconnect = () => {
      if (!told) tell('disconnect');
    };
    const listeners = SIGNALS.map((signal) => [signal, () => tell(signal)] as const);
    for (const [signal, listener] of listeners) process.on(signal, listener);
    process.on('disconnect', onDisconnect);
    // It may be gone already: the event came while nobody listened.
    if (hasChannel && !process.connected) setImmediate(onDisconnect);
    return () => {
      for (const [signal, listener] of listeners) process.off(signal, listener);
      process.off('disconnect', onDisconnect);
    };
  },
};

/** Runs `main` on the arguments of this process, and ends the process with its exit code. */
export async function runProgram(
  main: (words: readonly string[], terminal: Terminal) => Promise<ExitCode>,
): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onOutputError);
  process.on('uncaughtException', dieOf);
  process.on('unhandledRejection', dieOf);
  const code = await main(process.argv.slice(2), processTerminal);
  process.stdout.write('', () => process.exit(code));
}

/** Whoever read our output may leave first; that is no failure. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

function dieOf(error: unknown): never {
  const { exitCode, message } = failureOf(error);
  process.stderr.write(`slipstream: stopped at once: ${message}\n`);
  process.exit(exitCode);
}
