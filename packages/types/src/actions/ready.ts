/** ready: a node with these keys is synced and connected to more than two thirds of the weight. Anyone may send it. */
import { blsKey, keySignature, peerKey, u16, u32 } from '../forms/description.ts';
import { cost, KEY_CHECK_COMPUTE, VALIDATOR_READS, VALIDATOR_WRITES } from './costs.ts';
import { defineAction } from './definition.ts';

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
    /** Over readyMessage, by the BLS key. */
    signature: keySignature,
  },
  units: () => cost(KEY_CHECK_COMPUTE, VALIDATOR_READS, 0, VALIDATOR_WRITES),
});
