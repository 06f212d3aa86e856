/** Each rule returns one line per breach. Forbidden words are in two halves, so that the rules accept their own source. */
import type { Manifest, SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { readSyntax } from './syntax.ts';
import { isTree, lineFinder, parse, visit } from './tree.ts';

/** A longer file holds more than one idea. */
export const linesMax = 400;

const namesWithoutMeaning = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager', 'managers']);

export function findEmptyNames(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) =>
      path.split('/').some((segment) => segmentWords(segment).some((word) => namesWithoutMeaning.has(word))),
    )
    .map(({ path }) => `${path}: a name that says nothing; name it after its idea`);
}

/** "vote-manager.test.ts" ends in a word without meaning; "common-ancestor.ts" begins with an adjective and is fine. */
function segmentWords(segment: string): readonly string[] {
  const stem = segment.split('.')[0] ?? '';
  return [stem, stem.split(/[-_]/).at(-1) ?? '', stem.match(/[A-Z][a-z]+$/)?.[0] ?? ''].map((word) =>
    word.toLowerCase(),
  );
}

export function findLongFiles(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(isCode)
    .map(({ path, text }) => ({ path, lines: text.replace(/\n$/, '').split('\n').length }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ path, lines }) => `${path}: ${lines} lines; split it by idea (at most ${linesMax})`);
}

const leftovers = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);

/** Postponed work, which belongs on an issue. */
export function findLeftovers(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => path !== 'package-lock.json' && path !== 'LICENSE')
    .flatMap((file) => matchingLines(file, leftovers, 'left for later; do it, or open an issue'));
}

const silencers = new RegExp(`@ts-(ig${'nore'}|no${'check'})|biome-ignore(-all|-start)?\\s+lint\\s*:`);

/** The any type, and comments that switch the checker off. */
export function findSurrenders(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isCode).flatMap((file) => {
    const { anyTypes, comments } = readSyntax(file);
    return [
      ...anyTypes.map((line) => `${file.path}:${line}: the type any; use unknown and check it`),
      ...comments
        .filter(({ name }) => silencers.test(name))
        .map(({ name, line }) => `${file.path}:${line}: ${name.trim()}: repair the type instead`),
    ];
  });
}

const testFunctions = new Set(['it', 'test', 'describe', 'suite', 'bench']);
const idleModes = new Set(['skip', 'only', 'todo', 'fails', 'skipIf']);

/** Tests that do not run, or keep others from running. */
export function findIdleTests(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isCode).flatMap((file) =>
    readSyntax(file)
      .chains.filter(({ name }) => {
        const [head = '', member = ''] = name.split('.');
        return testFunctions.has(head) && idleModes.has(member);
      })
      .map(({ name, line }) => `${file.path}:${line}: ${name}: every test runs`),
  );
}

/** Properties in a spread of an object literal, where they could stand by themselves. */
export function findSpreadLiterals(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isCode).flatMap((file) => {
    const lineOf = lineFinder(file.text);
    const found: string[] = [];
    visit(parse(file).program, ({ type, argument, start }) => {
      if (type !== 'SpreadElement' || !isTree(argument) || argument.type !== 'ObjectExpression') return;
      found.push(`${file.path}:${lineOf(start)}: a spread object literal; write its properties without it`);
    });
    return found;
  });
}

const registryHosts = ['npmjs', 'yarnpkg', 'pypi', 'crates'].map(
  (name) => `\\b(registry\\.)?${name}\\.(org|com|io)\\b`,
);
const machinePaths = ['/wo' + 'rk/(main|shared|\\.)', '/tmp' + '/slip', '/ro' + 'ot/', '/ho' + 'me/(?!node/)[a-z]'];
const tiedToPlace = new RegExp([...registryHosts, ...machinePaths].join('|'));

/** Registry hosts and paths of one machine. */
export function findTiesToPlace(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => matchingLines(file, tiedToPlace, 'names a registry host or a path of one machine'));
}

/** A reason is its name in backticks under docs/decisions. */
export function findUnexplainedDependencies(
  manifests: readonly Manifest[],
  files: readonly SourceFile[],
): readonly string[] {
  const reasons = files.filter(({ path }) => path.startsWith('docs/decisions/')).map(({ text }) => text);
  return manifests.flatMap(({ folder, dependencies, devDependencies }) =>
    [...dependencies, ...devDependencies]
      .filter((name) => !name.startsWith('@slipstream/') && !reasons.some((text) => text.includes(`\`${name}\``)))
      .map((name) => `${folder === '' ? '' : `${folder}/`}package.json: ${name} has no reason in docs/decisions`),
  );
}

function matchingLines({ path, text }: SourceFile, pattern: RegExp, reason: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const match = pattern.exec(line);
    return match === null ? [] : [`${path}:${index + 1}: ${match[0]}: ${reason}`];
  });
}
