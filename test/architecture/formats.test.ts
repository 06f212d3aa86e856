import { expect, test } from 'vitest';
import { LEDGER_SCHEMA } from '../../packages/ledger/src/index.ts';
import { PROTOCOL_VERSION } from '../../packages/network/src/limits.ts';
import { readRepository } from './repository.ts';

const files = readRepository();
const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? '';
const formatOf = (path: string) => Number(/const FORMAT_VERSION = (\d+);/.exec(textOf(path))?.[1]);

test.each([
  ['wire format', PROTOCOL_VERSION],
  ['state store', formatOf('packages/state/src/log/format.ts')],
  ['journal of the state store', formatOf('packages/records/src/segment.ts')],
  ['ledger', LEDGER_SCHEMA],
  ['log', formatOf('packages/records/src/segment.ts')],
  ['chunk files', formatOf('packages/records/src/segment.ts')],
  ["seals of LevelDB's files", formatOf('packages/records/src/segment.ts')],
  ['sign state', formatOf('packages/wal/src/sign-state-file.ts')],
  ['signing history', formatOf('packages/wal/src/history.ts')],
])('the guide to compatibility states the version of the %s', (what, version) => {
  const row = textOf('docs/operators/compatibility.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${what} |`));
  expect(row).toContain(`| ${what} | ${version} |`);
});
