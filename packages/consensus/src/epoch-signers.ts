/** This node's signer in each committee; of the current epoch, and of the one before, whose last blocks are certified after the move. */
import type { Signer } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import type { Committee, Epoch } from '@slipstream/types';
import type { SigningComponents } from './consensus.ts';

interface EpochSigners {
  /** Index in the committee that begins; undefined without a place in it, or without the key of that place. */
  begin(committee: Committee): number | undefined;
  of(epoch: Epoch): Signer;
}

export function createEpochSigners(
  selfIn: (committee: Committee) => number | undefined,
  signing: Pick<SigningComponents, 'signerFor'> | undefined,
): EpochSigners {
  const signers = new Map<Epoch, Signer>();
  return {
    begin(committee) {
      for (const epoch of signers.keys()) if (epoch + 1 < committee.epoch) signers.delete(epoch);
      const self = selfIn(committee);
      const signer = self === undefined ? undefined : signing?.signerFor(committee, self);
      if (signer === undefined) return undefined;
      signers.set(committee.epoch, signer);
      return self;
    },
    of(epoch) {
      const signer = signers.get(epoch);
      assert(signer !== undefined, `nothing is signed in epoch ${epoch} without a key of its committee`);
      return signer;
    },
  };
}
