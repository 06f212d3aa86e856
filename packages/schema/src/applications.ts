/** Applications of a chain (docs/protocol/applications.md). */
import { APPLICATIONS_MAX } from '@slipstream/types';
import { Type } from 'typebox';
import { count, Id, type Json } from './scalars.ts';

const closed = { additionalProperties: false } as const;

export const ApplicationsSchema = Type.Object(
  {
    applications: Type.Array(
      Type.Object(
        {
          name: Type.String({ examples: ['token'] }),
          number: count('In keys of the state, and in events.', APPLICATIONS_MAX - 1),
          hash: Id,
          manifest: Type.Object(
            {},
            {
              additionalProperties: true,
              description:
                'Actions with numbers, input forms and units, events, tables, queries: it reads inputs, outputs and entries.',
            },
          ),
        },
        closed,
      ),
      { maxItems: APPLICATIONS_MAX },
    ),
  },
  { ...closed, title: 'Applications', description: 'In the order of genesis.' },
);
export type Applications = Json<typeof ApplicationsSchema>;
