/** Verifier and Signer on the caller's thread: for simulations, tests and tools. */
import type { Signer, Statement, Verifier } from '@slipstream/ports';
import { CryptoError } from '../errors.ts';
import { createBlsSigner } from './bls-signer.ts';
import { checkAccountsRequest, checkBatchRequest, checkQuorumRequest, checkSignRequest } from './requests.ts';
import { createVerifierCore } from './verifier-core.ts';
import type { VerifierService } from './verifier-service.ts';
import { createVerifierCounters } from './verifier-service.ts';

interface InlineVerifierOptions {
  /** 48 bytes each, in the committee's order. */
  readonly committeeKeys: readonly Uint8Array[];
  /** Without it `sign` rejects with CryptoError `no-secret-key`. */
  readonly secretKey?: Uint8Array;
  /** For `tookMs`; a simulation's own clock. */
  readonly monotonicMs?: () => number;
}

/** Throws CryptoError `invalid-public-key` or `invalid-secret-key`. */
export function createInlineVerifier(options: InlineVerifierOptions): VerifierService {
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const core = createVerifierCore({ committeeKeys: options.committeeKeys, secretKey: options.secretKey, monotonicMs });
  const committeeSize = options.committeeKeys.length;
  const counters = createVerifierCounters();
  let stopped = false;

  async function answer<T>(work: () => T): Promise<T> {
    if (stopped) throw new CryptoError('stopped', 'the verifier is stopped');
    return work();
  }
  const never = (): void => {};

  const checkBatch = (batch: readonly Statement[]): Promise<readonly boolean[]> =>
    answer(() => {
      checkBatchRequest(batch, committeeSize);
      return counters.batch(core.checkBatch(batch, never));
    });
  const checkOne = async (statement: Statement): Promise<boolean> => (await checkBatch([statement]))[0] === true;

  const verifier: Verifier = {
    checkQuorum: (request) =>
      answer(() => {
        checkQuorumRequest(request, committeeSize);
        return counters.quorum(core.checkQuorum(request, never));
      }),
    checkVote: (message, signer, signature) => checkOne({ kind: 'vote', message, signer, signature }),
    checkCertificate: (request) => checkOne({ kind: 'certificate', ...request }),
    checkAggregate: (request) => checkOne({ kind: 'aggregate', ...request }),
    checkBatch,
    checkAccounts: (batch) =>
      answer(() => {
        checkAccountsRequest(batch);
        return counters.accounts(core.checkAccounts(batch, never));
      }),
  };

  const signer: Signer = {
    publicKey: options.secretKey === undefined ? new Uint8Array(0) : createBlsSigner(options.secretKey).publicKey,
    sign: (messages) =>
      answer(() => {
        checkSignRequest(messages);
        return counters.signed(core.sign(messages));
      }),
  };

  return {
    verifier,
    signer,
    stats: () => counters.read(0, 0),
    async stop() {
      stopped = true;
    },
  };
}
