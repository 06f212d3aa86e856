/** Reads a configuration: defaults, then file, environment, flags. Reports all faults at once. */
import { parse as parseYaml, stringify } from 'yaml';
import { HomeError } from '../errors.ts';
import { combinationFaults } from './combinations.ts';
import { CONFIG_KEYS, type Config, type ConfigKey, type ConfigValue, environmentName, flagName } from './keys.ts';

interface ConfigSources {
  /** The path is for messages. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Values by the name of their flag (`flagName`). */
  readonly flags: ReadonlyMap<string, string>;
}

const KEYS = Object.keys(CONFIG_KEYS) as ConfigKey[];

/** Throws HomeError `config-invalid`; data.faults has one line per fault. */
export function loadConfig({ file, environment, flags }: ConfigSources): Config {
  const faults: string[] = [];
  const raw = new Map<ConfigKey, { readonly from: string; readonly value: unknown }>();
  if (file) {
    for (const [key, value] of flattenFile(file, faults)) {
      if (isConfigKey(key)) raw.set(key, { from: file.path, value });
      else faults.push(`${file.path}: there is no key "${key}"${nearest(key)}`);
    }
  }
  for (const key of KEYS) {
    const value = environment[environmentName(key)];
    if (value !== undefined) raw.set(key, { from: environmentName(key), value });
    const flag = flags.get(flagName(key));
    if (flag !== undefined) raw.set(key, { from: `--${flagName(key)}`, value: flag });
  }
  const config: Partial<Record<ConfigKey, ConfigValue>> = {};
  for (const key of KEYS) {
    const given = raw.get(key);
    config[key] = CONFIG_KEYS[key].default;
    if (!given) continue;
    try {
      config[key] = CONFIG_KEYS[key].parse(given.value);
    } catch (error) {
      faults.push(`${given.from}: ${key} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  // Combinations are checked only when each value is valid.
  if (faults.length === 0) faults.push(...combinationFaults(config as Config));
  if (faults.length > 0) {
    const message = `the configuration has ${faults.length} fault${faults.length > 1 ? 's' : ''}:\n  ${faults.join('\n  ')}`;
    throw new HomeError('config-invalid', message, { faults });
  }
  return config as Config;
}

function isConfigKey(key: string): key is ConfigKey {
  return Object.hasOwn(CONFIG_KEYS, key);
}

/** Unknown variables that resemble keys: a typing error would silently leave the default. */
export function strayVariables(environment: ConfigSources['environment']): readonly string[] {
  const known = new Set(KEYS.map(environmentName));
  const letters = new Set([...known].map(lettersOf));
  const groups = new Set(KEYS.flatMap((key) => (key.includes('.') ? [`SLIPSTREAM_${key.split('.')[0]}_`] : [])));
  const prefixes = [...groups].map((prefix) => prefix.toUpperCase());
  const isLike = (name: string) => letters.has(lettersOf(name)) || prefixes.some((prefix) => name.startsWith(prefix));
  return Object.keys(environment)
    .filter((name) => !known.has(name) && isLike(name))
    .toSorted();
}

const lettersOf = (name: string) => name.replaceAll('_', '').toUpperCase();

function flattenFile(file: { readonly path: string; readonly text: string }, faults: string[]): [string, unknown][] {
  let tree: unknown;
  try {
    // Every scalar stays the text that was written: a name such as `1.10`, a key of digits alone or an amount above 2^53 is not a number.
    tree = parseYaml(file.text, { schema: 'failsafe' });
  } catch (error) {
    faults.push(`${file.path}: not YAML: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  if (tree === null || tree === undefined || tree === '') return [];
  if (typeof tree !== 'object' || Array.isArray(tree)) {
    faults.push(`${file.path}: must be a mapping of keys`);
    return [];
  }
  return flatten(tree as Record<string, unknown>, '');
}

function flatten(tree: Readonly<Record<string, unknown>>, prefix: string): [string, unknown][] {
  return Object.entries(tree).flatMap(([key, value]): [string, unknown][] => {
    const path = `${prefix}${key}`;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isGroup ? flatten(value as Record<string, unknown>, `${path}.`) : [[path, value]];
  });
}

/** A hint for a mistyped key: a key with the same last part. */
function nearest(key: string): string {
  const last = key.split('.').at(-1)?.toLowerCase() ?? '';
  const found = KEYS.find((known) => known.toLowerCase().split('.').at(-1) === last);
  return found ? `; did you mean "${found}"?` : '';
}

/** The whole configuration as a file, each key with its meaning. */
export function printConfig(config: Config): string {
  const groups = new Map<string, string[]>();
  for (const key of KEYS) {
    const [group, name] = key.includes('.') ? (key.split('.') as [string, string]) : ['', key];
    const line = stringify({ [name]: config[key] }).trimEnd();
    const indented = `# ${CONFIG_KEYS[key].about} (${environmentName(key)}, --${flagName(key)})\n${line}`;
    groups.set(group, [...(groups.get(group) ?? []), indented]);
  }
  return [...groups]
    .map(([group, entries]) => {
      if (group === '') return entries.join('\n');
      return `${group}:\n${entries.join('\n').replace(/^/gm, '  ')}`;
    })
    .join('\n')
    .concat('\n');
}

export function configFile(values: Readonly<Partial<Record<ConfigKey, ConfigValue>>>): string {
  const tree: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) {
    const [group, name] = key.split('.');
    if (name === undefined) tree[key] = value;
    else tree[group as string] = { ...((tree[group as string] as object) ?? {}), [name]: value };
  }
  return stringify(tree);
}
