/** A command: its name, its help, its function. */
import { flag, type Option, type Options, type OptionValues } from './option.ts';
import { createProgressLine, type ReportProgress, withProgressLine } from './progress-line.ts';
import type { Terminal } from './terminal.ts';
import { usageError } from './usage-error.ts';

/** 0: done; 1: failed or refused; 2: wrong usage or configuration. */
export type ExitCode = number;

interface Positional {
  readonly name: string;
  readonly about: string;
  readonly optional?: boolean;
}

interface CommandInput<O extends Options> {
  readonly options: OptionValues<O> & { readonly json: boolean };
  /** As many as the command declares, except missing optional ones. */
  readonly arguments: readonly string[];
  /** Values of the command's settings, as given. */
  readonly config: ReadonlyMap<string, string>;
  readonly terminal: Terminal;
  /** Reports progress; without a report the progress line shows the elapsed time. */
  readonly progress: ReportProgress;
  /** To be called by a command that runs until it is stopped: ends the progress line. */
  readonly underWay: () => void;
}

interface CommandDefinition<O extends Options> {
  /** One word or two: `status`, `tx show`. */
  readonly name: string;
  /** Other names: `peers` for `peers list`. */
  readonly aliases?: readonly string[];
  readonly invocation?: string;
  readonly summary: string;
  readonly details?: string;
  readonly positionals?: readonly Positional[];
  readonly options: O;
  /** Options of the configuration, `--<setting> value`: passed on as `config`, and not listed in the help. */
  readonly settings?: readonly string[];
  readonly example: string;
  run(input: CommandInput<O>): Promise<ExitCode>;
}

export interface GivenArguments {
  readonly options: ReadonlyMap<string, string>;
  readonly arguments: readonly string[];
  readonly config: ReadonlyMap<string, string>;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly invocation: string;
  readonly summary: string;
  readonly details: string | undefined;
  readonly positionals: readonly Positional[];
  readonly options: Options;
  readonly settings: readonly string[];
  readonly example: string;
  /** Throws CommandLineError with all faults of the options. */
  run(given: GivenArguments, terminal: Terminal): Promise<ExitCode>;
}

const EVERYWHERE = { json: flag('Answer with one JSON value on standard output.') } as const;

export function defineCommand<const O extends Options>(definition: CommandDefinition<O>): Command {
  const options: Options = { ...definition.options, ...EVERYWHERE };
  const { name, summary, details, positionals = [], settings = [], example } = definition;
  const { aliases = [], invocation = `slipstream ${name}` } = definition;
  return {
    name,
    aliases,
    invocation,
    summary,
    details,
    positionals,
    options,
    settings,
    example,
    run(given, terminal) {
      const values = parseOptions(invocation, options, given.options);
      const line = createProgressLine(name, terminal);
      const work = definition.run({
        options: values as OptionValues<O> & { readonly json: boolean },
        arguments: given.arguments,
        config: given.config,
        terminal: withProgressLine(terminal, line),
        progress: line.report,
        underWay: line.end,
      });
      return work.finally(() => line.end());
    },
  };
}

function parseOptions(invocation: string, options: Options, given: ReadonlyMap<string, string>): unknown {
  const faults: string[] = [];
  const parsed = Object.entries(options).map(([name, option]: [string, Option<unknown>]) => {
    try {
      return [name, option.parse(given.get(name))] as const;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`--${name} ${error.message}`);
      return [name, undefined] as const;
    }
  });
  if (faults.length > 0) throw usageError(invocation, faults);
  return Object.fromEntries(parsed);
}
