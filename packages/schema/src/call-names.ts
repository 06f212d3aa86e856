import { Type } from 'typebox';

/** Of a call whose input the manifest reads. Not proven: the bytes are. */
export const readCall = {
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
