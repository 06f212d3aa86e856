/**
 * A verifier behind a cache, which is looked up on the caller's thread before parsing or queueing.
 *
 *   statements --> cache --hit--> true
 *                    \--miss--> one batch for the verifier --true--> into the cache
 *
 * Concurrent equal BLS requests are checked once, unless the later one is more urgent. A quorum is never looked up: its votes are new.
 * When it passes, only its aggregate enters, as a certificate: a passing sum proves no single vote.
 */
import type {
  AccountSignature,
  AggregateRequest,
  CertificateRequest,
  Priority,
  QuorumRequest,
  Statement,
  Verifier,
  VoteRequest,
} from '@slipstream/ports';
import { concatBytes, sha256, unreachable } from '@slipstream/primitives';
import { SIGNER_BITMAP_BYTES_MAX } from '@slipstream/types';
import { createUnderWay } from './under-way.ts';
import type { VerificationCache, VerifiedSignature } from './verification-cache.ts';

export const SCHEMES = { blsVote: 1, blsCertificate: 2, ed25519: 3, blsAggregate: 4, blsDistilled: 5 } as const;

const IN_MESSAGE = 0;

const EPOCH_BYTES = 4;

/** An entry names signers by epoch and index: true of it stays true when the committee is dropped. */
export function createCachedVerifier(verifier: Verifier, cache: VerificationCache): Verifier {
  const underWay = createUnderWay<boolean>();

  /** Misses that no check under way covers go on as one batch. */
  async function checkBatch(batch: readonly Statement[], priority: Priority): Promise<readonly boolean[]> {
    const missed: Statement[] = [];
    const answered = Promise.withResolvers<readonly boolean[]>();
    const answers = batch.map((statement): boolean | Promise<boolean> => {
      const entry = entryOf(statement);
      if (entry !== undefined && cache.has(entry)) return true;
      const check = (): Promise<boolean> => {
        const at = missed.push(statement) - 1;
        return answered.promise.then((all) => all[at] === true);
      };
      return entry === undefined ? check() : remembering(entry, priority, check, () => checkOne(statement, priority));
    });
    if (missed.length > 0) answered.resolve(verifier.checkBatch(missed, priority));
    return Promise.all(answers);
  }

  async function remembering(
    entry: VerifiedSignature,
    priority: Priority,
    check: () => Promise<boolean>,
    restart: () => Promise<boolean>,
  ): Promise<boolean> {
    const name = nameOf(entry);
    const joined = underWay.join(name, priority, restart);
    const valid = await (joined ?? underWay.start(name, priority, check));
    if (valid) cache.add(entry);
    return valid;
  }

  /** Apart from batches, because a hit costs little more than the look-up. */
  async function checkOne(statement: Statement, priority: Priority): Promise<boolean> {
    const entry = entryOf(statement);
    if (entry !== undefined && cache.has(entry)) return true;
    const check = async (): Promise<boolean> => (await verifier.checkBatch([statement], priority))[0] === true;
    return entry === undefined ? check() : remembering(entry, priority, check, () => checkOne(statement, priority));
  }

  async function checkAccounts(
    batch: readonly AccountSignature[],
    priority: Priority,
    issuer?: string,
  ): Promise<readonly boolean[]> {
    const answers: boolean[] = [];
    const missed: AccountSignature[] = [];
    for (const account of batch) {
      const isKnown = cache.has(accountEntry(account));
      answers.push(isKnown);
      if (!isKnown) missed.push(account);
    }
    if (missed.length === 0) return answers;
    const verified = await verifier.checkAccounts(missed, priority, issuer);
    for (let index = 0, at = 0; index < batch.length; index++) {
      if (answers[index]) continue;
      if (!verified[at++]) continue;
      answers[index] = true;
      cache.add(accountEntry(batch[index] as AccountSignature), issuer);
    }
    return answers;
  }

  return {
    async checkQuorum(request) {
      const result = await verifier.checkQuorum(request);
      if (result.aggregate !== undefined) cache.add(certificateEntry(certificateOf(request, result.aggregate)));
      return result;
    },
    checkVote: (request, priority) => checkOne({ kind: 'vote', ...request }, priority),
    checkCertificate: (request, priority) => checkOne({ kind: 'certificate', ...request }, priority),
    checkAggregate: (request, priority) => checkOne({ kind: 'aggregate', ...request }, priority),
    checkBatch,
    checkAccounts,
  };
}

function nameOf({ scheme, publicKey, message, signature }: VerifiedSignature): string {
  const bytes = [publicKey, message, signature].map((part) => String.fromCharCode(...part));
  return `${scheme}/${publicKey.length}/${message.length}/${bytes.join('')}`;
}

function accountEntry({ publicKey, message, signature }: AccountSignature): VerifiedSignature {
  return { scheme: SCHEMES.ed25519, domain: IN_MESSAGE, publicKey, message, signature };
}

/** Undefined: signers out of order have no cache key. */
function entryOf(statement: Statement): VerifiedSignature | undefined {
  switch (statement.kind) {
    case 'vote':
      return voteEntry(statement);
    case 'certificate':
      return isAscending(statement.signers) ? certificateEntry(statement) : undefined;
    case 'aggregate':
      return aggregateEntry(statement);
    default:
      return unreachable(statement, 'statement');
  }
}

function voteEntry({ epoch, message, signer, signature }: VoteRequest): VerifiedSignature {
  const publicKey = new Uint8Array(EPOCH_BYTES + 2);
  writeEpoch(publicKey, epoch);
  publicKey[EPOCH_BYTES] = signer & 0xff;
  publicKey[EPOCH_BYTES + 1] = signer >> 8;
  return { scheme: SCHEMES.blsVote, domain: IN_MESSAGE, publicKey, message, signature };
}

function certificateEntry({ epoch, message, signers, aggregate }: CertificateRequest): VerifiedSignature {
  const last = signers[signers.length - 1] ?? 0;
  const publicKey = new Uint8Array(EPOCH_BYTES + (last >> 3) + 1);
  writeEpoch(publicKey, epoch);
  for (const signer of signers) {
    const at = EPOCH_BYTES + (signer >> 3);
    publicKey[at] = (publicKey[at] as number) | (1 << (signer & 7));
  }
  return { scheme: SCHEMES.blsCertificate, domain: IN_MESSAGE, publicKey, message, signature: aggregate };
}

/** The message names it too; so no rule rests on what callers sign. */
function writeEpoch(target: Uint8Array, epoch: number): void {
  for (let at = 0; at < EPOCH_BYTES; at++) target[at] = epoch >>> (8 * at);
}

/** Keys are hashed: a hundred would not fit an entry. */
function aggregateEntry({ message, publicKeys, aggregate }: AggregateRequest): VerifiedSignature {
  const publicKey = sha256(concatBytes(...publicKeys));
  return { scheme: SCHEMES.blsAggregate, domain: IN_MESSAGE, publicKey, message, signature: aggregate };
}

function certificateOf({ epoch, message, votes }: QuorumRequest, aggregate: Uint8Array): CertificateRequest {
  return { epoch, message, signers: votes.map(({ signer }) => signer).sort((a, b) => a - b), aggregate };
}

function isAscending(signers: readonly number[]): boolean {
  let previous = -1;
  for (const signer of signers) {
    if (!Number.isInteger(signer) || signer <= previous || signer >= 8 * SIGNER_BITMAP_BYTES_MAX) return false;
    previous = signer;
  }
  return signers.length > 0;
}
