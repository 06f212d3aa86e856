/**
 * docs/glossary.md defines the words to use. Checked are comments, strings, and the words of identifiers in product code, console and
 * documents, and comments and sentences in strings of tests and scripts.
 */
import type { SourceFile } from './repository.ts';

interface OddWord {
  /** Over lower-case text, in which `lastHeardMs` and `last-heard-ms` read as "last heard ms". */
  readonly pattern: RegExp;
  readonly say: string;
}

/** A word with an ordinary sense is listed with what makes it odd. */
export const ODD_WORDS: readonly OddWord[] = [
  { pattern: /\bstart ?up (question|ask)|\bstartup ask/, say: 'signing-history query' },
  { pattern: /\btold\b/, say: 'reported, told by whom: name the thing' },
  { pattern: /\bhear(s|d|ing)?\b/, say: 'received, accepted, last message from' },
  { pattern: /\bsilen(t|ce)\b(?! logger| telemetry)/, say: 'unresponsive, revoked' },
  { pattern: /\bshut out\b/, say: 'banned' },
  { pattern: /\bvain\b/, say: 'rejected, without effect' },
  { pattern: /\bdepartures?\b/, say: 'eviction' },
  { pattern: /\boptimism\b/, say: 'uncertified references' },
  { pattern: /\b(pace|rhythm)\b/, say: 'rate, block interval' },
  { pattern: /\bmentions?\b/, say: 'contains; transaction index, account index' },
  { pattern: /\bvouch(es|ed|ing)?\b/, say: 'certify' },
  { pattern: /\bcontention\b/, say: 'fork handling' },
  { pattern: /\b(shelf|stretches)\b/, say: 'buffer pool, range' },
  { pattern: /\b(parcel|desk)s?\b/, say: 'message; what it does' },
  {
    pattern: /\b(proposal|certificate|peer|move|digest|payload|conduct|transaction) (book|board)s?\b/,
    say: 'store, table',
  },
  { pattern: /\btorment\b/, say: 'fault episodes' },
  {
    pattern: /\b(given|gave|gives|give) up (a|the|this|that) view|\bviews? (is|was|are|were) given up/,
    say: 'nullified',
  },
  { pattern: /\b(anew|of late|lately|mended|whoever|nobody)\b/, say: 'again, recently, fixed, any peer, no peer' },
  { pattern: /\b(validator|leader|member|peer)s? (is|are|was|were) away\b/, say: 'offline' },
  { pattern: /\bearly commit/, say: 'optimistic commit' },
  { pattern: /\b(well|strained) node\b|is my node well|needs a look/, say: 'healthy, degraded, unhealthy' },
  {
    pattern: /\bask the faucet\b|\bmake a key\b|\bact with a session\b/,
    say: 'request test funds, generate a key, use a session',
  },
  { pattern: /\b(\d+) of 100 within\b/, say: 'p50, p95, p99' },
];

const isTestOrScript = ({ path }: SourceFile): boolean =>
  /^(((packages|apps)\/[^/]+|console)\/test|test|scripts)\/.*\.(ts|tsx|mjs)$/.test(path) &&
  !/^test\/architecture\/words/.test(path);

const isProduct = ({ path }: SourceFile): boolean =>
  /^(packages|apps)\/[^/]+\/src\/|^console\/src\/|^docs\/|^README\.md$/.test(path) &&
  /\.(ts|tsx|md|css|yml)$/.test(path);

/** "path:line: words; say ..." each. */
export function findOddWords(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isProduct(file) || isTestOrScript(file))
    .flatMap((file) =>
      file.text.split('\n').flatMap((line, index) => {
        const { path } = file;
        const words = wordsOf(isTestOrScript(file) ? proseOf(line) : line);
        return ODD_WORDS.filter(({ pattern }) => pattern.test(words)).map(
          ({ pattern, say }) => `${path}:${index + 1}: "${pattern.exec(words)?.[0]}"; say: ${say}`,
        );
      }),
    );
}

/** A line's comment, and its strings of three words or more: scripts of faults and stand-ins have names of their own. */
function proseOf(line: string): string {
  const comment = /^\s*(?:\/\*\*|\*|\/\/)(.*)|\s\/\/ (.*)/.exec(line);
  const strings = [...line.matchAll(/(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , text = '']) => text);
  const sentences = strings.filter((text) => / \S+ /.test(text)).map((text) => text.replace(/\$\{[^}]*\}/g, ''));
  return [comment?.[1], comment?.[2], ...sentences].join(' ; ');
}

function wordsOf(line: string): string {
  return line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .toLowerCase();
}
