/**
 * What an application's sources may not have, and what to write instead.
 *
 * An action has to give the same writes on each node, in each run, and to end. So nothing may be asynchronous, depend on time, chance, place
 * or language, compute with fractions, remember an earlier action, catch the end of its ticks, or do much work in one step without ticks.
 */

export interface Rule {
  /** "... is not allowed". `$` is the name found. */
  readonly what: string;
  readonly remedy: string;
}

const TABLE = 'keep state in a table or a cell';
const WHOLE = 'compute with whole numbers or bigints';
const PLAIN = 'call a function';
const TIME = "an action's time is its context's timeMs";
const LATER = 'an action does all its work in one call';
const GROW = 'let it grow in a loop, which pays ticks';

/** Found by the kind of syntax. */
const SYNTAX_RULES = {
  async: { what: 'an async function', remedy: LATER },
  await: { what: 'await', remedy: LATER },
  generator: { what: 'a generator function', remedy: 'return a list' },
  yield: { what: 'yield', remedy: 'return a list' },
  try: { what: 'try', remedy: "test for what may go wrong and call fail('code')" },
  'regular-expression': { what: 'a regular expression', remedy: 'compare text, or its parts, in a loop' },
  power: { what: '**', remedy: 'multiply in a loop, or shift a bigint' },
  fraction: { what: 'the fraction $', remedy: `${WHOLE}, such as hundredths` },
  'unsafe-integer': { what: '$, which a number does not hold exactly,', remedy: 'write a bigint: 1n' },
  with: { what: 'with', remedy: 'name the object each time' },
  'for-in': { what: 'for ... in', remedy: 'use for ... of with Object.keys' },
  accessor: { what: 'a getter or setter', remedy: PLAIN },
  decorator: { what: 'a decorator', remedy: PLAIN },
  debugger: { what: 'debugger', remedy: 'remove it' },
  enum: { what: 'an enum', remedy: "use the form oneOf('a', 'b')" },
  namespace: { what: 'a namespace', remedy: 'write a module' },
  using: { what: 'using', remedy: PLAIN },
  'delete-name': { what: 'delete of a name', remedy: 'delete entries of tables' },
  'dynamic-import': { what: 'import()', remedy: 'import at the top of the file' },
  'import-meta': { what: 'import.meta', remedy: 'a module of an artifact has no place' },
} as const satisfies Readonly<Record<string, Rule>>;

/** Found at the top of a module, or by what it does to what stands there. */
const STATE_RULES = {
  'top-level-let': { what: 'let at the top of a module', remedy: `use const, and ${TABLE}` },
  'top-level-var': { what: 'var at the top of a module', remedy: `use const, and ${TABLE}` },
  'top-level-new': { what: 'new at the top of a module', remedy: TABLE },
  'top-level-closure': { what: 'a function that is called where it is written', remedy: `name the function; ${TABLE}` },
  'module-state': { what: 'a change of $, which outlives the action,', remedy: TABLE },
  'static-member': { what: 'a static member', remedy: 'use a const at the top of the module' },
} as const satisfies Readonly<Record<string, Rule>>;

/** Found by imports. */
const IMPORT_RULES = {
  'node-import': { what: "the import of Node's module $", remedy: 'an application has its kit and its host only' },
  'foreign-import': { what: 'the import of $', remedy: "import '@slipstream/app' and files of the application" },
  'file-import': { what: 'the import of $, which is no .ts or .js file,', remedy: 'write the data as a const' },
  'import-attribute': { what: 'an import attribute', remedy: 'write the data as a const' },
} as const satisfies Readonly<Record<string, Rule>>;

/** Found by names and members. */
const NAME_RULES = {
  eval: { what: 'eval', remedy: PLAIN },
  function: { what: 'Function', remedy: PLAIN },
  date: { what: '$', remedy: TIME },
  random: { what: 'Math.random', remedy: 'hash what no sender chooses alone, with sha256 of an id' },
  'inexact-math': { what: 'Math.$', remedy: `${WHOLE}: abs, ceil, floor, max, min, round, sign, trunc are there` },
  'math-alias': { what: 'Math without a member', remedy: 'write Math.floor and so on in full' },
  timer: { what: '$', remedy: TIME },
  promise: { what: 'Promise', remedy: LATER },
  intl: { what: 'Intl', remedy: 'leave formatting to clients' },
  weak: { what: '$', remedy: TABLE },
  process: { what: 'process', remedy: 'an application sees its state and its action only' },
  global: { what: '$', remedy: 'name what you use' },
  proxy: { what: 'Proxy', remedy: PLAIN },
  reflect: { what: 'Reflect', remedy: 'use Object.keys and plain access' },
  symbol: { what: 'Symbol', remedy: 'use text as names' },
  regexp: { what: 'RegExp', remedy: 'compare text, or its parts, in a loop' },
  float: { what: '$', remedy: WHOLE },
  'shared-memory': { what: '$', remedy: TABLE },
  'web-assembly': { what: 'WebAssembly', remedy: 'write TypeScript' },
  console: { what: 'console', remedy: 'emit an event' },
  network: { what: '$', remedy: 'let a sender bring the data in its action' },
  require: { what: '$', remedy: 'use import' },
  arguments: { what: 'arguments', remedy: 'name the parameters, or use a rest parameter' },
  'unknown-global': { what: 'the global $', remedy: 'declare or import it' },
  'reserved-name': { what: 'the name $, which the build uses,', remedy: 'begin names with one $ at most' },
  locale: { what: '$, which follows language or Unicode version,', remedy: 'leave it to clients' },
  'number-format': { what: '$', remedy: 'leave formatting to clients' },
  prototype: { what: '$', remedy: 'use plain objects and classes' },
  'define-property': { what: 'Object.$', remedy: 'write the property in a literal' },
  'array-of-length': { what: 'an array of a given length', remedy: GROW },
  'set-length': { what: 'a change of length', remedy: `use slice or pop; ${GROW}` },
  repeat: { what: '$', remedy: GROW },
} as const satisfies Readonly<Record<string, Rule>>;

export const RULES = { ...SYNTAX_RULES, ...STATE_RULES, ...IMPORT_RULES, ...NAME_RULES } as const;

export type RuleName = keyof typeof RULES;

/** A breach of a rule at an offset of the text. */
export interface Breach {
  readonly rule: RuleName;
  readonly at: number;
  /** What `$` stands for. */
  readonly name?: string;
}
