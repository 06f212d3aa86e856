/** Splits a command line: `--name value`, `--name=value`, flags, and the rest in order. `--` ends the options. */
import type { Command, GivenArguments } from './command.ts';
import { nearest } from './nearest.ts';
import { usageError } from './usage-error.ts';

/** Throws CommandLineError with every fault. */
export function splitArguments(command: Command, words: readonly string[]): GivenArguments {
  const options = new Map<string, string>();
  const config = new Map<string, string>();
  const rest: string[] = [];
  const faults: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--') {
      rest.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith('--')) {
      rest.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = word.slice(2, equals === -1 ? undefined : equals);
    const attached = equals === -1 ? undefined : word.slice(equals + 1);
    const target = targetOf(command, name);
    if (target === undefined) {
      faults.push(`there is no option --${name}${hint(command, name)}`);
      continue;
    }
    const into = target === 'config' ? config : options;
    const following = target === 'flag' || attached !== undefined ? undefined : words[++at];
    const value = target === 'flag' ? '' : (attached ?? following);
    if (target === 'flag' && attached !== undefined) faults.push(`--${name} takes no value`);
    else if (value === undefined) faults.push(`--${name} needs a value`);
    else if (into.has(name)) faults.push(`--${name} is given twice`);
    else into.set(name, value);
  }
  faults.push(...countFaults(command, rest));
  if (faults.length > 0) throw usageError(command.invocation, faults);
  return { options, config, arguments: rest };
}

function targetOf(command: Command, name: string): 'flag' | 'option' | 'config' | undefined {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (option !== undefined) return option.placeholder === undefined ? 'flag' : 'option';
  return command.settings.includes(name) ? 'config' : undefined;
}

function hint(command: Command, name: string): string {
  const known = [...Object.keys(command.options), ...command.settings, 'help'];
  const meant = sameName(name, known);
  if (meant !== undefined) return `; did you mean --${meant}?`;
  const section = /^[a-z]+-/.exec(name)?.[0] ?? '';
  const ofSection = section === '' ? [] : known.filter((other) => other.startsWith(section));
  const close = ofSection.length === 0 ? nearest(name, known) : nearestOf(section, name, ofSection);
  if (close !== undefined) return `; did you mean --${close}?`;
  return ofSection.length === 0 ? '' : `; there are ${ofSection.map((other) => `--${other}`).join(', ')}`;
}

/** Compares what follows the section: `network-port` is not `network-peers`. */
function nearestOf(section: string, name: string, ofSection: readonly string[]): string | undefined {
  const rest = nearest(
    name.slice(section.length),
    ofSection.map((other) => other.slice(section.length)),
  );
  return rest === undefined ? undefined : section + rest;
}

/** The same words in another form (`api.port`, `apiPort`, `api_port`), or the only name that ends with them. */
function sameName(name: string, known: readonly string[]): string | undefined {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[._]/g, '-')
    .toLowerCase();
  const endings = known.filter((other) => other.endsWith(`-${words}`));
  return known.find((other) => other === words) ?? (endings.length === 1 ? endings[0] : undefined);
}

function countFaults({ positionals }: Command, rest: readonly string[]): readonly string[] {
  const missing = positionals.filter(({ optional }, at) => optional !== true && rest[at] === undefined);
  const extra = rest.slice(positionals.length);
  return [
    ...missing.map(({ name, about }) => `${name} is missing: ${about}`),
    ...(extra.length > 0 ? [`there is no place for ${extra.map((word) => `"${word}"`).join(', ')}`] : []),
  ];
}
