import { type Command, defineCommand, usageError } from '@slipstream/command-line';
import { completionsOf, SHELLS, type Shell } from '../completions.ts';

/** `commands` includes this one. */
export const completionCommandOf = (commands: () => readonly Command[]): Command =>
  defineCommand({
    name: 'completion',
    summary: 'Print the completion script of a shell.',
    details: 'bash and zsh: source <(slipstream completion bash). fish: slipstream completion fish | source.',
    positionals: [{ name: 'SHELL', about: SHELLS.join(', ') }],
    options: {},
    example: 'slipstream completion bash',
    async run({ options, arguments: [given], terminal }) {
      const shell = SHELLS.find((known): known is Shell => known === given);
      if (shell === undefined)
        throw usageError('slipstream completion', [`SHELL must be ${SHELLS.join(', ')}, not "${given}"`]);
      const script = completionsOf(shell, commands());
      terminal.out(options.json ? JSON.stringify({ shell, script }) : script);
      return 0;
    },
  });
