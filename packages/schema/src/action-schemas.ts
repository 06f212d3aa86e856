/** Schemas of actions, from their definitions (packages/types). */

import {
  ACTIONS,
  type ActionJson,
  type ActionKind,
  APPLICATION_NAME,
  type Description,
  ED25519_PUBLIC_KEY_BYTES,
  type FieldDescription,
} from '@slipstream/types';
import { type TSchema, Type } from 'typebox';
import { ChangeSchema } from './governance.ts';
import { Account, Amount, count, fixedBytes, Id, TimeMs, UINT16_MAX, UINT32_MAX } from './scalars.ts';

const closed = { additionalProperties: false } as const;

type JsonOfKind<K extends ActionKind> = Extract<ActionJson, { readonly kind: K }>;

/** `more`: properties that are not part of the action. */
export function actionSchema<K extends ActionKind>(kind: K, more: Readonly<Record<string, TSchema>> = {}) {
  const { title, about, fields } = ACTIONS[kind];
  const properties = { kind: Type.Literal(kind), ...propertiesOf(fields), ...more };
  return Type.Unsafe<JsonOfKind<K>>(Type.Object(properties, { ...closed, title, description: about }));
}

function propertiesOf(fields: readonly FieldDescription[]): Record<string, TSchema> {
  return Object.fromEntries(
    fields.map(({ name, of, optional }) => [name, optional ? Type.Optional(schemaOf(of)) : schemaOf(of)]),
  );
}

function schemaOf(description: Description): TSchema {
  const { about = '', example } = description;
  const documented = {
    ...(about !== '' && { description: about }),
    ...(example !== undefined && { examples: [example] }),
  };
  switch (description.form) {
    case 'u16':
      return count(about, UINT16_MAX);
    case 'u32':
      return count(about, UINT32_MAX);
    case 'timeMs':
      return TimeMs;
    case 'amount':
      return Amount;
    case 'account':
      return Account;
    case 'id':
      return Id;
    case 'fixedBytes':
      return fixedBytes(description.bytes, about);
    case 'peerKey':
      return fixedBytes(ED25519_PUBLIC_KEY_BYTES, about);
    case 'bytes':
    case 'handover':
      return Type.String({ pattern: '^0x([0-9a-f]{2})*$', maxLength: 2 + 2 * description.bytesMax, ...documented });
    case 'text':
      return textSchema(description, documented);
    case 'oneOf':
      return Type.Enum([...description.names]);
    case 'scope':
      return Type.Array(Type.Enum([...description.names]), {
        minItems: 1,
        maxItems: description.names.length,
        ...documented,
      });
    case 'list': {
      const { of, itemsMin, itemsMax } = description;
      return Type.Array(schemaOf(of), { ...(itemsMin > 0 && { minItems: itemsMin }), maxItems: itemsMax });
    }
    case 'record':
      return Type.Object(propertiesOf(description.fields), closed);
    case 'change':
      return ChangeSchema;
  }
}

function textSchema(
  { bytesMin, bytesMax, rule }: Extract<Description, { readonly form: 'text' }>,
  documented: object,
): TSchema {
  if (rule === 'application') return Type.String({ pattern: APPLICATION_NAME.source, ...documented });
  return Type.String({ ...(bytesMin > 0 && { minLength: bytesMin }), maxLength: bytesMax, ...documented });
}
