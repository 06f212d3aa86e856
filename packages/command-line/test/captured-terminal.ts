import type { Terminal } from '../src/terminal.ts';

export interface CapturedTerminal extends Terminal {
  readonly outLines: readonly string[];
  readonly errLines: readonly string[];
  readonly drawn: readonly string[];
}

export function capturedTerminal(folder: string, input: Uint8Array = new Uint8Array(0)): CapturedTerminal {
  const outLines: string[] = [];
  const errLines: string[] = [];
  const drawn: string[] = [];
  return {
    environment: {},
    folder,
    interactive: false,
    out(text, done) {
      outLines.push(text);
      done?.();
    },
    outlivesOutput() {},
    err(text, done) {
      errLines.push(text);
      done?.();
    },
    draw: (text) => void drawn.push(text),
    readInput: async () => input,
    onSignals: () => () => {},
    exit(code) {
      throw new Error(`a command ended the process with ${code}`);
    },
    outLines,
    errLines,
    drawn,
  };
}
