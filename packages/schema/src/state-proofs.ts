/** Proofs of the state (docs/protocol/state-proofs.md) as JSON. */
import { to0x } from '@slipstream/primitives';
import { KEY_BYTES_MAX, PROOF_KEYS_MAX, type StateProof, stateProofCodec } from '@slipstream/state-tree/proofs';
import { HANDOVERS_MAX, PROOF_PREIMAGES_MAX } from '@slipstream/types';
import { Type } from 'typebox';
import { CertificateSchema, PreimageSchema } from './chain.ts';
import { certificateToJson, preimageToJson } from './chain-json.ts';
import { HandoverSchema } from './handovers.ts';
import { Bytes, count, EPOCH_MAX, type Json } from './scalars.ts';

const closed = { additionalProperties: false } as const;
const DEPTH_MAX = 64;

const ProvenKeySchema = Type.Object(
  {
    key: Bytes,
    value: Type.Union([Bytes, Type.Null()], { description: 'null: the key is absent.' }),
    place: Type.Enum(['empty', 'entry', 'others'], {
      description: "What is at the key's place in the tree: nothing, its entry, or a bucket of other keys.",
    }),
    depth: count('Nodes above that place.', DEPTH_MAX),
  },
  closed,
);

export const StateProofSchema = Type.Object(
  {
    entries: Type.Array(ProvenKeySchema, {
      description: 'In the order in which they were asked for.',
      minItems: 1,
      maxItems: PROOF_KEYS_MAX,
    }),
    preimages: Type.Array(PreimageSchema, {
      description: 'From the height of the entries to the certified one.',
      minItems: 1,
      maxItems: PROOF_PREIMAGES_MAX,
    }),
    certificate: CertificateSchema,
    ssz: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      description: 'The same proof, serialized, with the paths.',
      examples: ['0x00ff'],
    }),
    epochs: Type.Optional(
      Type.Array(HandoverSchema, {
        description: 'Of consecutive epochs: they lead to the committee of the certificate.',
        maxItems: HANDOVERS_MAX,
      }),
    ),
  },
  {
    ...closed,
    title: 'StateProof',
    description:
      'That a quorum of the committee certified these values, or that there are none, at the height of the first preimage.',
  },
);
export type StateProofJson = Json<typeof StateProofSchema>;

const epochsFrom = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: EPOCH_MAX,
    description: 'With a proof in JSON: the first 100 handovers from this epoch on, up to that of the proof.',
  }),
);

/** Of reads that come with a proof if it is asked for. */
export const proofQuery = {
  proof: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'true: with a proof of the values, for those who trust no node.',
      default: 'false',
    }),
  ),
  epochsFrom,
};

export const StateProofRequestSchema = Type.Object(
  {
    keys: Type.Array(
      Type.String({
        description: 'A key of the state.',
        pattern: `^0x([0-9a-fA-F]{2}){1,${KEY_BYTES_MAX}}$`,
        examples: ['0x7366656573'],
      }),
      { minItems: 1, maxItems: PROOF_KEYS_MAX },
    ),
    epochsFrom,
  },
  { ...closed, title: 'StateProofRequest' },
);

export function stateProofToJson(proof: StateProof): StateProofJson {
  return {
    entries: proof.entries.map(({ key, value, path: { place, siblings } }) => ({
      key: to0x(key),
      value: value === undefined ? null : to0x(value),
      place: place.kind,
      depth: siblings.length,
    })),
    preimages: proof.preimages.map(preimageToJson),
    certificate: certificateToJson(proof.certificate),
    ssz: to0x(stateProofCodec.encode(proof)),
  };
}
