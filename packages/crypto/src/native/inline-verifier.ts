/** Verifier and Signer on the caller's thread: for simulations, tests and tools. */
import type { DistilledVerifier, EpochKeys, ShareVerifier, Signer, Statement, Verifier } from '@slipstream/ports';
import { CryptoError } from '../errors.ts';
import { checkedCommittees, withCommittee, withoutCommittee } from './committees.ts';
import { checkDistilledClaims } from './distilled-check.ts';
import {
  checkAccountsRequest,
  checkBatchRequest,
  checkDistilledRequest,
  checkQuorumRequest,
  checkSharesRequest,
  checkSignRequest,
} from './requests.ts';
import { createSecretKeys } from './secret-keys.ts';
import { sumShares } from './share-sum.ts';
import { createVerifierCore } from './verifier-core.ts';
import type { VerifierService } from './verifier-service.ts';
import { createVerifierCounters, NO_KEY, signed } from './verifier-service.ts';

interface InlineVerifierOptions {
  readonly committees: readonly EpochKeys[];
  /** Of `signer`. */
  readonly secretKey?: Uint8Array;
  /** For `tookMs`; a simulation's own clock. */
  readonly monotonicMs?: () => number;
}

/** Throws CryptoError `invalid-committee`, `invalid-public-key` or `invalid-secret-key`. */
export function createInlineVerifier(options: InlineVerifierOptions): VerifierService {
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const core = createVerifierCore({ monotonicMs });
  const secrets = createSecretKeys();
  const ownKey = options.secretKey === undefined ? NO_KEY : secrets.add(options.secretKey.slice());
  let committees = checkedCommittees(options.committees);
  const counters = createVerifierCounters();
  let stopped = false;

  async function answer<T>(work: () => T): Promise<T> {
    if (stopped) throw new CryptoError('stopped', 'the verifier is stopped');
    return work();
  }
  const never = (): void => {};

  const checkBatch = (batch: readonly Statement[]): Promise<readonly boolean[]> =>
    answer(() => {
      checkBatchRequest(batch, committees);
      return counters.batch(core.checkBatch(batch, committees, never));
    });
  const checkOne = async (statement: Statement): Promise<boolean> => (await checkBatch([statement]))[0] === true;

  const verifier: Verifier = {
    checkQuorum: (request) =>
      answer(() => {
        checkQuorumRequest(request, committees);
        return counters.quorum(core.checkQuorum(request, committees, never));
      }),
    checkVote: (request) => checkOne({ kind: 'vote', ...request }),
    checkCertificate: (request) => checkOne({ kind: 'certificate', ...request }),
    checkAggregate: (request) => checkOne({ kind: 'aggregate', ...request }),
    checkBatch,
    checkAccounts: (batch) =>
      answer(() => {
        checkAccountsRequest(batch);
        return counters.accounts(core.checkAccounts(batch, never));
      }),
  };

  const distilled: DistilledVerifier = {
    checkDistilled: (claims) =>
      answer(() => {
        checkDistilledRequest(claims);
        return counters.batch(checkDistilledClaims(claims, never));
      }),
  };

  const shares: ShareVerifier = {
    sumShares: (request) =>
      answer(() => {
        checkSharesRequest(request);
        return counters.shares(sumShares(request, never));
      }),
  };

  const signerOf = (publicKey: Uint8Array): Signer => ({
    publicKey,
    sign: (messages) =>
      answer(() => {
        checkSignRequest(messages);
        return counters.signed(signed(secrets.sign(publicKey, messages)));
      }),
  });

  return {
    verifier,
    distilled,
    shares,
    signer: signerOf(ownKey),
    addCommittee(epoch, publicKeys) {
      committees = withCommittee(committees, epoch, publicKeys);
    },
    dropCommittee(epoch) {
      committees = withoutCommittee(committees, epoch);
    },
    addKey: (secretKey) => answer(() => signerOf(secrets.add(secretKey))).finally(() => secretKey.fill(0)),
    removeKey: (publicKey) => answer(() => secrets.remove(publicKey)),
    stats: () => counters.read(0, 0),
    async stop() {
      stopped = true;
    },
  };
}
