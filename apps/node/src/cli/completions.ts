/** Completions of the shells, derived from the table of commands. */
import type { Command } from '@slipstream/command-line';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionsOf(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
  }
}

function optionsOf({ options, settings }: Command): readonly string[] {
  return [...Object.keys(options), ...settings, 'help'].map((name) => `--${name}`);
}

/** First words of commands, each with its second words. */
function groupsOf(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (const { name } of commands) {
    const [first, second] = name.split(' ') as [string, string | undefined];
    groups.set(first, [...(groups.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return groups;
}

function bash(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const seconds = [...groups].filter(([, words]) => words.length > 0);
  return [
    '_slipstream() {',
    '  local current="$' +
      '{COMP_WORDS[COMP_CWORD]}" first="$' +
      '{COMP_WORDS[1]}" second="$' +
      '{COMP_WORDS[2]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${[...groups.keys()].join(' ')} --help"`,
    '  elif [ "$COMP_CWORD" -eq 2 ] && [[ "$current" != -* ]]; then',
    '    case "$first" in',
    ...seconds.map(([first, words]) => `      ${first}) words="${words.join(' ')}" ;;`),
    '    esac',
    '  else',
    '    case "$first $second" in',
    ...commands.map((command) => `      "${command.name}"*) words="${optionsOf(command).join(' ')}" ;;`),
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '  [ "$' + '{#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))',
    '}',
    'complete -F _slipstream slipstream',
  ].join('\n');
}

function fish(commands: readonly Command[]): string {
  const firsts = groupsOf(commands);
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const lines = ['complete -c slipstream -f'];
  for (const [first, words] of firsts) {
    const single = commands.find(({ name }) => name === first);
    const about = single?.summary ?? words.join(', ');
    lines.push(`complete -c slipstream -n __fish_use_subcommand -a ${first} -d ${quoted(about)}`);
  }
  for (const command of commands) {
    const [first, second] = command.name.split(' ') as [string, string | undefined];
    const inGroup = `__fish_seen_subcommand_from ${first}`;
    if (second !== undefined) {
      lines.push(`complete -c slipstream -n ${quoted(inGroup)} -a ${second} -d ${quoted(command.summary)}`);
    }
    const inCommand = second === undefined ? inGroup : `${inGroup}; and __fish_seen_subcommand_from ${second}`;
    for (const [name, { about }] of Object.entries(command.options)) {
      lines.push(`complete -c slipstream -n ${quoted(inCommand)} -l ${name} -d ${quoted(about)}`);
    }
    for (const name of command.settings) lines.push(`complete -c slipstream -n ${quoted(inCommand)} -l ${name}`);
  }
  return lines.join('\n');
}
