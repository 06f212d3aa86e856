/** Documents may only name what exists: files, npm scripts, commands with their options. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../apps/node/src/cli/commands.ts';
import { readRepository, root } from './repository.ts';

const files = readRepository();
const documents = files.map(({ path }) => path).filter((path) => path.endsWith('.md'));

function textOf(document: string): string {
  return files.find(({ path }) => path === document)?.text ?? '';
}

/** Inline code, and lines of fenced or indented blocks, continued lines joined. */
function codeOf(text: string): readonly string[] {
  const fenced = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, body = '']) => linesOf(body));
  const prose = text.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '');
  const indented = linesOf(prose).filter((line) => line.startsWith('    '));
  const inline = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\n', ' '));
  return [...fenced, ...indented, ...inline];
}

const linesOf = (text: string) => text.replaceAll('\\\n', ' ').split('\n');

test('documents are found', () => {
  expect(documents).toContain('README.md');
  expect(documents.length).toBeGreaterThan(15);
});

test.for(documents)('%s has no broken link', (document) => {
  const links = [...textOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^[a-z]+:|^#/.test(link)).map((link) => link.replace(/#.*$/, ''));
  const missing = local.filter((link) => !existsSync(join(root, dirname(document), link)));
  expect(missing).toEqual([]);
});

test.for(documents)('%s names existing npm scripts', (document) => {
  const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: Record<string, string> };
  const named = codeOf(textOf(document)).flatMap((code) =>
    [...code.matchAll(/npm (?:run (?:-s )?([a-z][a-z0-9:]*)|(test)\b)/g)].map(
      ([, script, tests]) => script ?? tests ?? '',
    ),
  );
  expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
});

test.for(documents)('%s names existing commands and options', (document) => {
  const faults = codeOf(textOf(document)).flatMap(faultsOf);
  expect(faults).toEqual([]);
});

test.for(documents)('%s names existing benches, scenarios and test files', (document) => {
  const benches = [...textOf('scripts/bench.ts').matchAll(/^ {2}'?([a-z-]+)'?: \(\) => import/gm)].map(
    ([, name]) => name,
  );
  expect(benches.length).toBeGreaterThan(20);
  const scenarios = files.filter(({ path }) => path.startsWith('test/simulation/scenarios/')).map(({ text }) => text);
  const named = (pattern: RegExp): readonly string[] =>
    codeOf(textOf(document)).flatMap((code) => [...code.matchAll(pattern)].map(([, name = '']) => name));
  const missing = [
    ...named(/npm run (?:-s )?bench -- ([a-z-]+)/g).filter((name) => name !== 'all' && !benches.includes(name)),
    ...named(/--scenario ([a-z-]+)(?![a-z:-])/g).filter(
      (name) => name !== 'all' && !scenarios.some((text) => text.includes(`'${name}'`)),
    ),
    ...named(/npx vitest run ([^|&]+)/g)
      .flatMap((list) => list.trim().split(/\s+/))
      .filter((part) => part.includes('/') && !files.some(({ path }) => path.startsWith(part))),
  ];
  expect(missing).toEqual([]);
});

/** Of a line such as `slipstream tx show --url ...`, also behind `npm run -s slipstream --`. */
function faultsOf(code: string): readonly string[] {
  const calls = [...code.matchAll(/(?:^|[\s(])slipstream(?: --)? ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?([^|;&)]*)/g)];
  return calls.flatMap(([, first = '', second = '', rest = '']) => {
    const words = [`${first} ${second}`, first];
    const command = COMMANDS.find(({ name, aliases }) => words.some((word) => name === word || aliases.includes(word)));
    const isGroup = COMMANDS.some(({ name }) => name.startsWith(`${first} `));
    if (command === undefined) return isGroup ? [] : [`no command: ${code.trim()}`];
    return [...rest.matchAll(/(?:^|\s)--([a-zA-Z.-]+)/g)]
      .map(([, option = '']) => option)
      .filter((option) => !Object.hasOwn(command.options, option) && option !== 'help')
      .filter((option) => !command.settings.includes(option))
      .map((option) => `no option --${option}: ${code.trim()}`);
  });
}

test('the glossary defines each term once, in order', () => {
  const rows = [...textOf('docs/glossary.md').matchAll(/^\| ([^|]+) \| ([^|]+) \|.*\|$/gm)].slice(2);
  const terms = rows.map(([, term = '']) => term.toLowerCase());
  expect(terms.length).toBeGreaterThan(40);
  expect(terms).toEqual([...new Set(terms)].toSorted());
});
