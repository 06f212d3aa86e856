/** `completion`: the script that teaches a shell the commands and their options. */
import { defineCommand } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { completionsOf, SHELLS, type Shell } from '../completions.ts';
import { usageError } from '../usage-error.ts';

export const completionCommand = defineCommand({
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
    const script = completionsOf(shell, COMMANDS);
    terminal.out(options.json ? JSON.stringify({ shell, script }) : script);
    return 0;
  },
});
