import type { Command } from './command.ts';

const PROGRAM = 'slipstream';

export function overviewHelp(summary: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `${PROGRAM}: ${summary}`,
    '',
    `Usage: ${PROGRAM} COMMAND [options]`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `"${PROGRAM} --version" prints its version.`,
    `Every command has --help (with an example) and --json. "npm run slipstream -- COMMAND" is the same in a checkout.`,
    'Exit codes: 0 success, 1 failure, 2 wrong usage or configuration.',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, { placeholder, about, required }]) => {
    const form = placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
    return { form, about: required ? `${about} Needed.` : about };
  });
  if (command.settings.length > 0) {
    options.push({
      form: '--SETTING VALUE',
      about: 'Any setting of the configuration: --print-config shows their names.',
    });
  }
  const lines = [...command.positionals.map(({ name, about }) => ({ form: name, about })), ...options];
  const width = Math.max(...lines.map(({ form }) => form.length));
  return [
    `${command.summary}`,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    `Usage: ${usageLine(command)}`,
    '',
    ...lines.map(({ form, about }) => `  ${form.padEnd(width)}  ${about}`),
    '',
    `Example: ${command.example}`,
  ].join('\n');
}

function usageLine({ invocation, positionals }: Command): string {
  const places = positionals.map((place) => (place.optional === true ? `[${place.name}]` : place.name));
  return [invocation, ...places, '[options]'].join(' ');
}
