/** Calls of applications in transactions. */
import { CALL_INPUT_BYTES_MAX } from '@slipstream/types';
import { Type } from 'typebox';
import { count } from './scalars.ts';

const closed = { additionalProperties: false } as const;

/** Of a call whose input the manifest reads. Not proven: the bytes are. */
const readCall = {
  name: Type.Optional(Type.String({ description: "The action's name, by the manifest.", examples: ['transfer'] })),
  fields: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The input, by the manifest; missing where it is no value of its form.',
      },
    ),
  ),
};

export const Call = Type.Object(
  {
    kind: Type.Literal('call'),
    application: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$', examples: ['token'] }),
    action: count("The action's number in the application's manifest.", 65_535),
    input: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      maxLength: 2 + 2 * CALL_INPUT_BYTES_MAX,
      description: "In the action's form.",
      examples: ['0x00'],
    }),
    ...readCall,
  },
  { ...closed, title: 'Call', description: 'Runs an action of an application.' },
);

export const NamedCall = Type.Object(
  {
    kind: Type.Literal('call'),
    application: Type.String({ pattern: '^[a-z][a-z0-9-]{0,31}$', examples: ['token'] }),
    name: Type.String({ description: "The action's name in the manifest.", examples: ['transfer'] }),
    fields: Type.Object({}, { additionalProperties: true, description: "In the action's form." }),
  },
  { ...closed, title: 'NamedCall', description: 'A call as the manifest reads it: the node encodes the input.' },
);
