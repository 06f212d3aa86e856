/** Once a node fails, it signs nothing more: its parts stop one after the other, and a signature could rest on a part that is gone. */
import type { Signer } from '@slipstream/ports';
import { NodeError } from '../errors.ts';

export interface RevocableSigner {
  readonly signer: Signer;
  /** From now on `sign` rejects with NodeError `node-failed`, calls in progress too. Idempotent. */
  revoke(): void;
}

export function createRevocableSigner(signer: Signer): RevocableSigner {
  let revoked = false;

  function check(): void {
    if (revoked) throw new NodeError('node-failed', 'this node has failed and signs nothing more');
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
    revoke() {
      revoked = true;
    },
  };
}
