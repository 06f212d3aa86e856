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

/** What is counted before "per second". A capital begins a word: "ki b". */
const RATED =
  'once|[kmg]|[kmg]i? ?b|bytes|transactions|requests|frames|connections|batches|views|blocks|chunks|clients|rows|times|messages|events|checks|syncs';

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
  {
    pattern: /\b(is|are|was|were|be|or) away\b(?! from)|\} away\b|\baway (together|long|longer|for (any|hours|days))\b/,
    say: 'offline',
  },
  { pattern: /\bearly commit/, say: 'optimistic commit' },
  {
    pattern: /\bacts? of (an |the )?operators?\b|\boperators? acts\b(?! on)|\bacts\(/,
    say: 'operator actions; name what the call does',
  },
  {
    pattern: /\b(is|are|was|were|not|blocks|chunks|votes|frames) kept\b|\bkept (here|any more|until)\b/,
    say: 'retained, pruned',
  },
  { pattern: /\bhedged\b(?! fetch)|\bcopies of (a )?chunks?\b/, say: 'hedged fetch, retained chunks' },
  {
    pattern:
      /\brefused (peer|member|validator)s?\b|\b(peer|member|validator)s? (is|are|was|were) refused (here|from now|until|by)\b/,
    say: 'blocked',
  },
  {
    pattern: /\b(each|next|last|first|own|same|two) looks?\b(?! up)|\ba look (that|at)\b/,
    say: 'check, pass, cost units',
  },
  { pattern: /\bbeats?\b|\bsettle(s|d)? (the )?(rules|views?|core)\b/, say: 'heartbeat, apply rules' },
  {
    pattern: /\b(write|disk|state) turns?\b|\broom files?\b|\brooms? (of|for) (the |a )?(log|segment|state)s?\b/,
    say: 'write queue, preallocation',
  },
  {
    pattern: new RegExp(`(\\d|\\}|\\b(${RATED})) (of them )?a second\\b(?! (or|time|report|one|instance|copy)\\b)`),
    say: 'per second',
  },
  {
    pattern: /\bwell node\b|\bstrained\b|is my node well|needs a look|operator has to look/,
    say: 'healthy, degraded, unhealthy',
  },
  { pattern: /\bnoticed ?\(|^\s*noticed\b|[>'"]noticed[<'"]/, say: 'recent events' },
  { pattern: /\bcoming in\b/, say: 'received' },
  { pattern: /[>'"](given up|on the disk)[<'"]|>middle</, say: 'nullified views, p95, disk usage' },
  { pattern: /\b(title|label)[:=] ?['"]waiting['"]/, say: 'mempool' },
  {
    pattern: /\bnewest (views|checks)\b|\bas a table\b|\ba typical block\b|\bby sessions\b/,
    say: 'recent, table, median',
  },
  { pattern: /\bsyncs? of the log\b|\btime of a sync\b|\bsyncs a view\b/, say: 'WAL fsync latency, fsyncs per view' },
  { pattern: /\bsummary: ?['"`](makes?|says?|tells?|looks? at)\b/, say: 'create, show, print, check' },
  {
    pattern: /\bask the faucet\b|\bmake a key\b|\bact with a session\b/,
    say: 'request test funds, generate a key, use a session',
  },
  { pattern: /\b(\d+) of 100 within\b/, say: 'p50, p95, p99' },
];

/** One pass over a line finds most of them clean. */
const ANY_ODD_WORD = new RegExp(ODD_WORDS.map(({ pattern }) => `(?:${pattern.source})`).join('|'));

const isTestOrScript = ({ path }: SourceFile): boolean =>
  /^(((packages|apps)\/[^/]+|console)\/test|test|scripts)\/.*\.(ts|tsx|mjs)$/.test(path) &&
  !/^test\/architecture\/words/.test(path);

const isProduct = ({ path }: SourceFile): boolean =>
  /\.ya?ml$/.test(path) ||
  (/^(packages|apps)\/[^/]+\/src\/|^console\/src\/|^docs\/|^README\.md$/.test(path) && /\.(ts|tsx|md|css)$/.test(path));

/** "path:line: words; say ..." each. */
export function findOddWords(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isProduct(file) || isTestOrScript(file))
    .flatMap((file) =>
      file.text.split('\n').flatMap((line, index) => {
        const { path } = file;
        const words = wordsOf(isTestOrScript(file) ? proseOf(line) : line);
        if (!ANY_ODD_WORD.test(words)) return [];
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
  const sentences = strings.filter((text) => / \S+ /.test(text)).map((text) => text.replace(/\$\{[^}]*\}/g, '}'));
  return [comment?.[1], comment?.[2], ...sentences].join(' ; ');
}

function wordsOf(line: string): string {
  return line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .toLowerCase();
}
