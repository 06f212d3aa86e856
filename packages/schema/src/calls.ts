/** Calls of applications in transactions. */
import { APPLICATION_NAME } from '@slipstream/types';
import { Type } from 'typebox';
import type { Json } from './scalars.ts';

const closed = { additionalProperties: false } as const;

/** Of a call whose input the manifest reads. Not proven: the bytes are. */
export const READ_CALL = {
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

const ReadCallSchema = Type.Object(READ_CALL);
export type ReadCall = Json<typeof ReadCallSchema>;

export const NamedCall = Type.Object(
  {
    kind: Type.Literal('call'),
    application: Type.String({ pattern: APPLICATION_NAME.source, examples: ['token'] }),
    name: Type.String({ description: "The action's name in the manifest.", examples: ['transfer'] }),
    fields: Type.Object({}, { additionalProperties: true, description: "In the action's form." }),
  },
  { ...closed, title: 'NamedCall', description: 'A call as the manifest reads it: the node encodes the input.' },
);
export type NamedCallJson = Json<typeof NamedCall>;
