/**
 * JSON bodies, before they are parsed: how much one holds, at the cost of a look at it.
 *
 * Bytes do not bound what parsing takes. 4 MB of open brackets stop the thread for 0.2 to 0.9 s, and as many of short keys as long; a batch of
 * transactions of that size takes 8 ms, for nearly all of it is text. So what makes objects, elements and depth is counted, and text is
 * passed over: 0.1 ms for such a batch, 0.2 ms until nonsense is found out.
 */

/** A transaction of 16 transferMany has 5,000, a batch 1,000. */
const MARKS_MAX = 20_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Brackets that open, and commas: each element, field and level has one. */
const MARKS: ReadonlySet<number> = new Set([0x5b, 0x7b, 0x2c]);

/** Whether a body holds more elements, fields and levels than any that a route takes. */
export function holdsTooMuch(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfText(text, at);
    else if (MARKS.has(character) && ++marks > MARKS_MAX) return true;
  }
  return false;
}

/** Where the text that begins at `start` has its closing quote; the end of all when it has none. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
