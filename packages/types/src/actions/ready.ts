/** ready: a node with these keys is synced and connected to more than two thirds of the weight. Anyone may send it. */
import { blsKey, id, keySignature, list, peerKey, u16, u32 } from '../forms/description.ts';
import { cost, KEY_CHECK_COMPUTE, VALIDATOR_READS, VALIDATOR_WRITES } from './costs.ts';
import { defineAction } from './definition.ts';

/** Of one report, and of one epoch. */
export const REPORTED_ARTIFACTS_MAX = 8;
const ARTIFACT_HASH_BYTES = 32;

export const ready = defineAction({
  kind: 'ready',
  tag: 11,
  title: 'Readiness',
  about: 'A node with these keys is synced and connected.',
  fields: {
    blsPublicKey: blsKey,
    peerKey,
    /** A signature of an earlier epoch no longer counts. */
    epoch: { ...u32, about: 'The current one.' },
    version: { ...u16, about: 'Newest version of the rules that the node knows.' },
    artifacts: {
      ...list(id(), { max: REPORTED_ARTIFACTS_MAX }),
      about: 'Hashes of artifacts that the node has and an open proposal names.',
    },
    /** Over readyMessage, by the BLS key. */
    signature: keySignature,
  },
  units({ artifacts: { length } }) {
    return cost(KEY_CHECK_COMPUTE, VALIDATOR_READS, ARTIFACT_HASH_BYTES * length, VALIDATOR_WRITES + length);
  },
});
