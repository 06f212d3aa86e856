/** Handovers of epochs as JSON, for clients that follow the committee. */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import { HANDOVER_BYTES_MAX, type Handover, handoverCodec, parseBytes } from '@slipstream/types';
import { Type } from 'typebox';
import { count, EPOCH_MAX, fixedBytes, Id, type Json, orNull, TimeMs } from './scalars.ts';

export const HANDOVERS_LIMIT_MAX = 100;
export const HANDOVERS_LIMIT_DEFAULT = 100;

export const HandoverSchema = Type.Object(
  {
    epoch: count('Whose committee certified it.', EPOCH_MAX),
    recordHash: Id,
    ssz: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      maxLength: 2 + 2 * HANDOVER_BYTES_MAX,
      description: 'The handover, serialized.',
      examples: ['0x00ff'],
    }),
  },
  {
    additionalProperties: false,
    title: 'Handover',
    description: "That the committee of an epoch certified the next one's record: its hash, weights and keys.",
  },
);
export type HandoverJson = Json<typeof HandoverSchema>;

const RootSchema = Type.Object(
  {
    rootKey: fixedBytes(48, 'Root key of the chain.'),
    expiryMs: TimeMs,
    signature: fixedBytes(96, 'Of the root key over the committee of genesis.'),
  },
  {
    description: 'With it chains that trust the root key accept sessions of this one; missing when the node has none.',
  },
);

export const HandoverPageSchema = Type.Object(
  {
    items: Type.Array(HandoverSchema, { description: 'Of consecutive epochs.', maxItems: HANDOVERS_LIMIT_MAX }),
    next: orNull(count('`from` of the next page; null after the newest.', EPOCH_MAX)),
    root: Type.Optional(RootSchema),
  },
  { title: 'HandoverPage' },
);
export type HandoverPage = Json<typeof HandoverPageSchema>;

export function handoverToJson(handover: Handover): HandoverJson {
  return {
    epoch: handover.certificate.subject.epoch,
    recordHash: to0x(handover.preimage.next),
    ssz: to0x(handoverCodec.encode(handover)),
  };
}

/** Fails when the other fields are not what the serialization says. */
export function handoverFromJson({ epoch, recordHash, ssz }: HandoverJson): Result<Handover, string> {
  const decoded = handoverCodec.decode(parseBytes(ssz));
  if (!decoded.ok) return fail(decoded.error.message);
  const { certificate, preimage } = decoded.value;
  const agrees = certificate.subject.epoch === epoch && to0x(preimage.next) === recordHash;
  return agrees ? ok(decoded.value) : fail('epoch or record hash is not what the serialization says');
}
