/**
 * Definitions and citations of rules (grammar: docs/protocol/README.md).
 *
 *   definition   ### Rule 4a: vote early           | **I3** | text | Safety: reason |
 *   citation     rule 4a, rules 1, 4 and 6, rules 6 to 8, I3, P1 to P6, consensus.md, "Durability"
 */
import { isCode, type SourceFile } from './repository.ts';
import { readSyntax, type Use } from './syntax.ts';

export interface Citation extends Use {
  readonly path: string;
}

export interface Definition {
  /** `rule 4a`, `I3`. */
  readonly name: string;
  readonly path: string;
  readonly hasReason: boolean;
}

export const PROTOCOL = 'docs/protocol/';

const isProtocol = ({ path }: SourceFile): boolean => path.startsWith(PROTOCOL) && path.endsWith('.md');

/** Documents by class letter. */
export function classesIn(readme: string): ReadonlyMap<string, string> {
  const rows = readme.matchAll(/^\| ([A-Z]) \| ([a-z-]+\.md) \|/gm);
  return new Map([...rows].map(([, letter = '', document = '']) => [letter, `${PROTOCOL}${document}`]));
}

export function definitionsIn(files: readonly SourceFile[]): readonly Definition[] {
  return files.filter(isProtocol).flatMap(({ path, text }) => [...sectionsIn(path, text), ...rowsIn(path, text)]);
}

/** Up to the next heading. */
function sectionsIn(path: string, text: string): readonly Definition[] {
  return [...text.matchAll(/^### Rule (\d+[a-z]?): .+\n([^#]*)/gm)].map(([, number = '', body = '']) => ({
    name: `rule ${number}`,
    path,
    hasReason: body.includes('**Safety.**') && body.includes('**Liveness.**'),
  }));
}

function rowsIn(path: string, text: string): readonly Definition[] {
  return [...text.matchAll(/^\| \*\*([A-Z]\d+)\*\* \|(.*)$/gm)].map(([, name = '', row = '']) => ({
    name,
    path,
    hasReason: /^ (Safety|Liveness): \w/.test(row.split(' |').at(-2)?.replace(/^\|/, '') ?? ''),
  }));
}

const headingsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading));

/** Cited rules, documents and headings without a definition. */
export function findUndefined(files: readonly SourceFile[]): readonly string[] {
  const defined = new Set(definitionsIn(files).map(({ name }) => name));
  const readme = files.find(({ path }) => path === `${PROTOCOL}README.md`)?.text ?? '';
  const letters = [...classesIn(readme).keys()].join('');
  const headings = new Map(files.filter(isProtocol).map(({ path, text }) => [path, headingsOf(text)]));
  return files.flatMap((file) =>
    proseOf(file).flatMap(({ name: text, line }) => {
      const rules = rulesIn(text, letters).filter((rule) => !defined.has(rule));
      const sections = sectionsCited(text).filter(
        ({ document, heading }) =>
          headings.has(`${PROTOCOL}${document}`) && !headings.get(`${PROTOCOL}${document}`)?.has(heading),
      );
      return [
        ...rules.map((rule) => `${file.path}:${line}: ${rule} is not defined in ${PROTOCOL}`),
        ...sections.map(({ document, heading }) => `${file.path}:${line}: ${document} has no heading "${heading}"`),
      ];
    }),
  );
}

const PATH_DATA = /^\s*[Mm][\d\s.,a-zA-Z-]+$/;

/** Comments and strings of code; paragraphs of documents. */
export function proseOf(file: SourceFile): readonly Use[] {
  if (file.path.endsWith('.md')) return paragraphsOf(file.text);
  if (!isCode(file)) return [];
  const { comments, strings } = readSyntax(file);
  const said = strings.filter(({ name }) => !PATH_DATA.test(name));
  return [...joinedLines(comments), ...said].map(({ name, line }) => ({
    name: name.replace(/\s*\n\s*\*?\s*/g, ' '),
    line,
  }));
}

function joinedLines(comments: readonly Use[]): readonly Use[] {
  const joined: Use[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { name, line } of comments) {
    const last = joined.at(-1);
    if (last !== undefined && line === end + 1) joined[joined.length - 1] = { ...last, name: `${last.name}\n${name}` };
    else joined.push({ name, line });
    end = line + name.split('\n').length - 1;
  }
  return joined;
}

function paragraphsOf(text: string): readonly Use[] {
  const plain = text
    .replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, '')
    .replace(/^ {4}.*$/gm, '');
  let line = 1;
  return plain.split(/\n\n/).map((paragraph) => {
    const use = { name: paragraph.replaceAll('\n', ' '), line };
    line += paragraph.split('\n').length + 1;
    return use;
  });
}

const RULES = /\brules?\s+(\d+[a-z]?(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or|to)\s+)\d+[a-z]?\b)*)/gi;

export function rulesIn(text: string, letters: string): readonly string[] {
  const numbered = [...text.matchAll(RULES)].flatMap(([, list = '']) =>
    expanded(list).map((number) => `rule ${number}`),
  );
  const token = `(?<![\\w./#%&$-])([${letters}])(\\d{1,2})(?![\\w%(])`;
  const ranges = [...text.matchAll(new RegExp(`${token} to \\1(\\d{1,2})(?!\\w)`, 'g'))].flatMap(
    ([, letter = '', from = '', to = '']) => between(Number(from), Number(to)).map((number) => `${letter}${number}`),
  );
  const single = [...text.matchAll(new RegExp(token, 'g'))].map(([, letter = '', number = '']) => `${letter}${number}`);
  return [...new Set([...numbered, ...ranges, ...single])].filter((name) => name !== ENGINE);
}

const ENGINE = 'V8';

function expanded(list: string): readonly string[] {
  const [first = '', ...rest] = list.split(/\s+to\s+/);
  if (rest.length === 0) return first.split(/\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+/).filter(Boolean);
  const ends = [first, ...rest].flatMap((part) => expanded(part));
  const from = Number.parseInt(expanded(first).at(-1) ?? '', 10);
  const to = Number.parseInt(expanded(rest[0] ?? '')[0] ?? '', 10);
  return [...ends, ...between(from, to).map(String)];
}

const between = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

function sectionsCited(text: string): readonly { readonly document: string; readonly heading: string }[] {
  return [...text.matchAll(/\b([a-z-]+\.md)\)?,? "([^"]+)"/g)].map(([, document = '', heading = '']) => ({
    document,
    heading,
  }));
}
