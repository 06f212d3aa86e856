/** Fields as data. Apart from fields.ts, which pages load without it. */
import type { FieldDescription } from './description.ts';
import type { Fields } from './form.ts';
import { checkName } from './names.ts';

/** Throws `bad-definition` for names that a field may not have. */
export function describe(fields: Fields, what: string): readonly FieldDescription[] {
  return Object.entries(fields).map(([name, { description }]) => {
    checkName(name, `a field of ${what}`);
    return { name, of: description };
  });
}
