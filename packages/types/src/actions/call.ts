/** call: runs an action of an application (applications.md), which declares the units (call-units.ts). */
import { bytes, text, u16 } from '../forms/description.ts';
import { APPLICATION_NAME_BYTES_MAX, CALL_INPUT_BYTES_MAX } from '../limits.ts';
import { type ActionOf, defineAction } from './definition.ts';

export const APPLICATION_NAME = /^[a-z][a-z0-9-]{0,31}$/;

export const call = defineAction({
  kind: 'call',
  tag: 17,
  title: 'Call',
  about: 'Runs an action of an application.',
  fields: {
    /** A letter of a-z, then up to 31 of a-z, 0-9 and "-". */
    application: text({ bytesMax: APPLICATION_NAME_BYTES_MAX, rule: 'application', example: 'token' }),
    action: { ...u16, about: "The action's number in the application's manifest." },
    input: bytes(CALL_INPUT_BYTES_MAX, { about: "In the action's form.", example: '0x00' }),
  },
  /** What the manifest reads in it (packages/schema). */
  unread: ['name', 'fields'],
});

export type Call = ActionOf<typeof call>;

export function isNameOfApplication(name: string): boolean {
  return APPLICATION_NAME.test(name);
}
