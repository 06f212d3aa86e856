/** The operators' reference has each key as the program has it, and the times of the presets. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_OPTIONS, WAN_OPTIONS } from '@slipstream/consensus';
import { expect, test } from 'vitest';
import { CONFIG_KEYS, type ConfigKey, environmentName, flagName } from '../src/config/keys.ts';

const guide = await readFile(join(import.meta.dirname, '../../../docs/operators/configuration.md'), 'utf8');
const rows = guide.split('\n').filter((line) => line.startsWith('| `'));

const keyRows = (Object.keys(CONFIG_KEYS) as ConfigKey[]).map((key) => {
  const { default: fallback, about } = CONFIG_KEYS[key];
  const shown = Array.isArray(fallback) ? '[]' : fallback === '' ? '""' : String(fallback);
  return `| \`${key}\` | \`${shown}\` | ${about.replaceAll('|', '\\|')} |`;
});

const presetRows = (Object.keys(LOCAL_OPTIONS) as (keyof typeof LOCAL_OPTIONS)[]).map(
  (name) => `| \`${name}\` | ${LOCAL_OPTIONS[name]} | ${WAN_OPTIONS[name]} |`,
);

test('the guide to the configuration has exactly the existing keys, each with default and meaning', () => {
  expect(rows.slice(0, keyRows.length)).toEqual(keyRows);
});

test('the guide has the times of both presets', () => {
  expect(rows.slice(keyRows.length).map((row) => row.split(' | ').slice(0, 3).join(' | '))).toEqual(
    presetRows.map((row) => row.replace(/ \|$/, '')),
  );
});

test('the rules in the guide for environment variables and flags are those of the code', () => {
  expect(guide).toContain(`\`${environmentName('network.fullNodes')}\``);
  expect(guide).toContain(` --${flagName('network.fullNodes')} 20\``);
});
