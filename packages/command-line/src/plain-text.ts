/** Makes text of nodes and peers harmless: it must not move a terminal's cursor, set a title or hide a line. */

/** C0 without tab and line feed, DEL, C1 (ECMA-48), and Unicode Bidi_Control. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Each control character becomes U+FFFD. */
export function plainText(text: string): string {
  return text.replace(CONTROLS, '\ufffd');
}
