/**
 * Revocable signer: once a node fails, it signs nothing more.
 *
 * A failed node stops its parts one after the other. A signature made meanwhile could rest on a part that is already gone.
 */
import type { Signer } from '@slipstream/ports';
import { NodeError } from '../errors.ts';

interface RevocableSigner {
  readonly signer: Signer;
  /** After this call `sign` rejects with NodeError `node-failed`, also for calls in progress. Idempotent. */
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
