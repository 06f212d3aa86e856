/** Verifier and Signer on the caller's thread: for simulations, tests and tools. */
import type { Signer, Verifier } from '@slipstream/ports';
import { CryptoError } from '../errors.ts';
import { createBlsSigner } from './bls-signer.ts';
import {
  checkAccountsRequest,
  checkAggregateRequest,
  checkCertificateRequest,
  checkQuorumRequest,
  checkSignRequest,
  checkVoteRequest,
} from './requests.ts';
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

  const verifier: Verifier = {
    checkQuorum: (request) =>
      answer(() => {
        checkQuorumRequest(request, committeeSize);
        return counters.quorum(core.checkQuorum(request, never));
      }),
    checkVote: (message, signer, signature) =>
      answer(() => {
        checkVoteRequest(message, signer, committeeSize);
        return counters.single(core.checkVote(message, signer, signature));
      }),
    checkCertificate: (request) =>
      answer(() => {
        checkCertificateRequest(request);
        return counters.single(core.checkCertificate(request));
      }),
    checkAggregate: (request) =>
      answer(() => {
        checkAggregateRequest(request);
        return counters.single(core.checkAggregate(request));
      }),
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
