/**
 * A signer that can be silenced.
 *
 * A node that cannot go on stops its parts one after the other, and some wait for others. What it would sign meanwhile rests on parts that
 * are gone: so from the moment it fails nothing is signed at all, whoever still asks.
 */
import type { Signer } from '@slipstream/ports';
import { NodeError } from '../errors.ts';

export interface SilenceableSigner {
  readonly signer: Signer;
  /** From now on `sign` rejects with NodeError `node-failed`, also for what is under way. Idempotent. */
  silence(): void;
}

export function createSilenceableSigner(signer: Signer): SilenceableSigner {
  let silent = false;

  function check(): void {
    if (silent) throw new NodeError('node-failed', 'this node has failed and signs nothing more');
  }

  return {
    signer: {
      publicKey: signer.publicKey,
      async sign(messages) {
        check();
        const signatures = await signer.sign(messages);
        check();
        return signatures;
      },
    },
    silence() {
      silent = true;
    },
  };
}
