/**
 * Bounds the structure of a JSON body before it is parsed: megabytes of open brackets or short keys block the thread for hundreds of ms, a
 * batch of that size does not. Counts what creates objects, elements and depth, and skips strings.
 */

/** A transaction of 16 transferMany has 5,000 marks, a batch 1,000. */
const MARKS_MAX = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Each element, field and level has one. */
const MARKS: ReadonlySet<number> = new Set([0x5b, 0x7b, 0x2c]);

export function holdsTooMuch(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfText(text, at);
    else if (MARKS.has(character) && ++marks > MARKS_MAX) return true;
  }
  return false;
}

/** Of the string that begins at `start`; without a closing quote, the body's end. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
