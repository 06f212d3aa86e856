/** Names that forms and applications accept. Apart from errors.ts, which pages load without them. */
import { badDefinition } from './errors.ts';

const NAME_LENGTH_MAX = 64;
/** Properties that each object has from its prototype, where a frozen realm refuses to assign them. */
const INHERITED_NAMES: readonly string[] = [
  ...['constructor', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable'],
  ...['toLocaleString', 'toString', 'valueOf'],
];

/** Letters and digits, a letter first: fields, tables, actions, events, queries. */
export function checkName(name: string, what: string): void {
  if (isLabel(name, isLetterOrDigit) && isLetter(name.charCodeAt(0)) && !INHERITED_NAMES.includes(name)) return;
  throw badDefinition(`"${name}" is no name of ${what}: use letters and digits, a letter first`);
}

/** Letters, digits and "-": what `oneOf` lists. */
export function checkLabels(names: readonly string[], countMax: number): void {
  if (names.length === 0 || names.length > countMax) throw badDefinition(`oneOf has 1 to ${countMax} names`);
  names.forEach((name, i) => {
    if (!isLabel(name, (code) => isLetterOrDigit(code) || code === DASH))
      throw badDefinition(`"${name}" in oneOf: use letters, digits and "-"`);
    if (names.indexOf(name) !== i) throw badDefinition(`"${name}" stands twice in oneOf`);
  });
}

/** 1 to 64 characters of a-z, 0-9 and "-": codes of failures. */
export function isCode(text: unknown): text is string {
  return (
    typeof text === 'string' && isLabel(text, (code) => (isLetterOrDigit(code) && !isCapital(code)) || code === DASH)
  );
}

const APPLICATION_NAME_LENGTH_MAX = 32;

/** A letter of a-z, then up to 31 of a-z, 0-9 and "-": fit for paths of REST and of files. */
export function isApplicationName(text: unknown): text is string {
  return isCode(text) && text.length <= APPLICATION_NAME_LENGTH_MAX && isLetter(text.charCodeAt(0));
}

const DASH = 0x2d;
const isCapital = (code: number) => code >= 0x41 && code <= 0x5a;
const isLetter = (code: number) => isCapital(code) || (code >= 0x61 && code <= 0x7a);
const isLetterOrDigit = (code: number) => isLetter(code) || (code >= 0x30 && code <= 0x39);

function isLabel(text: string, accepts: (code: number) => boolean): boolean {
  if (text.length === 0 || text.length > NAME_LENGTH_MAX) return false;
  for (let i = 0; i < text.length; i++) if (!accepts(text.charCodeAt(i))) return false;
  return true;
}
