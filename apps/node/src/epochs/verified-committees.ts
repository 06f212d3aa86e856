/** Committees that the verifier knows: those whose chunks count, and the sealed next one. */
import { EARLIER_EPOCHS_MAX } from '@slipstream/dissemination';
import type { VerifierCommittees } from '@slipstream/ports';
import { type Committee, epochKeysOf, epoch as epochOf } from '@slipstream/types';
import type { NodeEpochs } from './node-epochs.ts';

type Known = Pick<NodeEpochs, 'now' | 'committeeOf'>;

export function knownCommittees(epochs: Known): readonly Committee[] {
  const found: Committee[] = [];
  for (let epoch = Math.max(0, epochs.now() - EARLIER_EPOCHS_MAX); epoch <= epochs.now() + 1; epoch++) {
    const committee = epochs.committeeOf(epochOf(epoch));
    if (committee) found.push(committee);
  }
  return found;
}

/** From the next change on. */
export function followCommittees(epochs: Known & Pick<NodeEpochs, 'onChanged'>, verifier: VerifierCommittees): void {
  epochs.onChanged(() => {
    const oldest = epochs.now() - EARLIER_EPOCHS_MAX;
    if (oldest > 0) verifier.dropCommittee(oldest - 1);
    for (const committee of knownCommittees(epochs)) {
      const { epoch, publicKeys } = epochKeysOf(committee);
      verifier.addCommittee(epoch, publicKeys);
    }
  });
}
