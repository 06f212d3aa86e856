/**
 * What a realm has of the language: nothing that differs between two machines, two runs, or two versions of Unicode, nothing that is
 * asynchronous, and nothing that computes with fractions beyond + - * / %.
 */
import type { Lists } from './lock-down.ts';

/** Names that stay in the realm. All others go, also those of later versions of the language. */
const GLOBALS = [
  ...['globalThis', 'undefined', 'NaN', 'Infinity'],
  ...['Object', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'BigInt', 'Math', 'JSON', 'Map', 'Set', 'Iterator'],
  ...['Error', 'EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError', 'AggregateError'],
  ...['ArrayBuffer', 'DataView', 'Int8Array', 'Int16Array', 'Int32Array', 'BigInt64Array'],
  ...['Uint8Array', 'Uint16Array', 'Uint32Array', 'BigUint64Array'],
  ...['isNaN', 'isFinite', 'parseInt'],
] as const;

/** Exact on all machines. Square roots are too, but not what libraries do with them. */
export const EXACT_MATH = ['abs', 'ceil', 'clz32', 'floor', 'imul', 'max', 'min', 'round', 'sign', 'trunc'] as const;

const LOCALE = ['toLocaleString'] as const;
/** They follow the Unicode tables of the engine. */
const CASES = [
  'toLowerCase',
  'toUpperCase',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
  'localeCompare',
  'normalize',
] as const;
const ACCESSORS = [
  '__proto__',
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
] as const;
const FLOATS = ['Float16', 'Float32', 'Float64'].flatMap((float) => [`get${float}`, `set${float}`]);

/** Every member of the object. */
const ALL = '*';

/** Members that go, by the object that has them. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  'Array.prototype': LOCALE,
  'BigInt.prototype': LOCALE,
  'DataView.prototype': FLOATS,
  'Number.prototype': [...LOCALE, 'toExponential', 'toFixed', 'toPrecision'],
  'Object.prototype': [...LOCALE, ...ACCESSORS],
  'String.prototype': [...CASES, 'match', 'matchAll', 'search'],
  'Uint8Array.prototype.__proto__': LOCALE,
  Array: ['fromAsync'],
  Error: ['captureStackTrace'],
  Number: ['parseFloat'],
  Symbol: ['for', 'keyFor'],
  // Syntax reaches objects of these without their names.
  'Promise.prototype': [ALL],
  'RegExp.prototype': [ALL],
};

export const REALM_LISTS: Lists = { globals: GLOBALS, math: EXACT_MATH, removed: REMOVED };
