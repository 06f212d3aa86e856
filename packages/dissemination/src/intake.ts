/**
 * Intake: the way of a transaction into the pool, from a client or from a peer.
 *
 *   bytes --> decode --> known? --> rules --> room? --> balance --> signature --> pool --> forwarder
 *
 * Cheap checks first; a signature is verified only for what would be taken. Everything refused has a reason, a message for
 * its submitter, and a count.
 */
import type { Budgets } from '@slipstream/crypto';
import type { Clock, PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  accountKeyText,
  type Committee,
  type DecodedTransaction,
  decodeFrame,
  decodeTransaction,
  type Hex,
  hexOf,
  type Transaction,
  type TransactionId,
  transactionCodec,
  type Units,
} from '@slipstream/types';
import { type AdmissionRefusal, type AdmissionSetting, refusalOf, uncoveredOf } from './admission.ts';
import type { Components } from './components.ts';
import type { Flow } from './flow.ts';
import type { Forwarder } from './forwarder.ts';
import type { DisseminationLimits } from './limits.ts';
import type { Mempool, PoolRefusal, PoolTransaction } from './mempool.ts';
import type { Recent } from './recent.ts';
import { AUTHORITY_MESSAGES, type SessionReason } from './session-messages.ts';
import type { SignatureChecks, Verdict } from './signature-checks.ts';
import type { Tally } from './tally.ts';

/** `verification-limit`: too much that this submitter sent was not worth its verification. */
export type RejectReason =
  | 'malformed'
  | 'bad-signature'
  | 'verification-limit'
  | SessionReason
  | AdmissionRefusal
  | PoolRefusal;

export type SubmitResult =
  | { readonly type: 'accepted'; readonly id: TransactionId; readonly expiryMs: number }
  /** In the pool, or on the chain already. `sameBytes` is false when the pool holds it with another signature. */
  | {
      readonly type: 'known';
      readonly id: TransactionId;
      readonly where: 'pool' | 'chain';
      readonly sameBytes: boolean;
    }
  | {
      readonly type: 'rejected';
      readonly reason: RejectReason;
      readonly message: string;
      /** Undefined when the bytes are no transaction. */
      readonly id: TransactionId | undefined;
      /** When another attempt makes sense; undefined: never with these bytes. */
      readonly retryAfterMs: number | undefined;
    };

export interface Intake {
  /**
   * Never rejects for what the bytes are; rejects when the verifier or the ledger fails. Takes a copy. `source` is whose budget
   * pays for credentials that turn out false: an address.
   */
  submit(bytes: Uint8Array, source?: string): Promise<SubmitResult>;
  /** A `transactions` frame, kind byte included. Settles when all of it is judged. */
  onTransactions(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** Transactions of clients and peers in checks now. */
  readonly checking: number;
}

export interface IntakeParts extends Pick<Components, 'clock' | 'reports' | 'ledgerLookup' | 'telemetry'> {
  readonly pool: Mempool;
  readonly recent: Recent;
  readonly signatures: SignatureChecks;
  readonly budgets: Budgets;
  readonly forwarder: Forwarder;
  readonly tally: Tally;
  readonly flow: Flow;
  /** Whether a pending chunk holds it, with a good signature. */
  isEnclosed(id: string): boolean;
  /** The chain does not keep up with what was accepted: clients are refused. */
  isCongested(): boolean;
  /** It is in the pool. `packAfterMs` as the forwarder says. */
  accepted(entry: PoolTransaction, packAfterMs: number | undefined): void;
}

/** A transaction that passed everything but the signature check. */
interface Candidate {
  readonly decoded: DecodedTransaction & { readonly transaction: Transaction };
  readonly id: Hex<TransactionId>;
  readonly sender: string;
  readonly units: Units;
}

type Judged = { readonly candidate: Candidate } | { readonly result: SubmitResult };

export function createIntake(
  parts: IntakeParts,
  setting: AdmissionSetting & { readonly committee: Committee },
  limits: DisseminationLimits,
): Intake {
  const { pool, recent, signatures, forwarder, tally, flow, reports } = parts;
  const { clock }: { clock: Clock } = parts;
  let checking = 0;

  function reject(
    id: TransactionId | undefined,
    reason: RejectReason,
    message: string,
    retryAfterMs?: number,
  ): SubmitResult {
    tally.drop(reason);
    flow.refused(reason);
    return { type: 'rejected', reason, message, id, retryAfterMs };
  }

  function rejectFull(id: TransactionId, reason: PoolRefusal): SubmitResult {
    return reject(id, reason, FULL_MESSAGES[reason], limits.retryAfterMs);
  }

  function judge(bytes: Uint8Array, from: PeerKey | undefined, before = 0): Judged {
    flow.arrived(from === undefined ? 'client' : 'peer');
    const decoded = decodeTransaction(bytes);
    const { transaction, id } = decoded;
    if (transaction === undefined) return { result: reject(undefined, 'malformed', faultOf(bytes)) };
    const hex = hexOf(id);
    const known = knownAs(hex, bytes);
    if (known) return { result: asKnown(id, known) };
    const units = setting.rules.unitsOf(transaction, bytes.length);
    const refused = refusalOf(transaction, units, clock.wallMs(), setting);
    if (refused) return { result: reject(id, refused.reason, refused.message) };
    const sender = accountKeyText(transaction.body.sender);
    if (from === undefined && parts.isCongested()) return { result: rejectFull(id, 'pool-full') };
    if (checking + before >= limits.intakeTransactionsMax) return { result: rejectFull(id, 'pool-full') };
    const full = pool.refusal(bytes.length, sender, from);
    if (full) return { result: rejectFull(id, full) };
    return { candidate: { decoded: { ...decoded, transaction }, id: hex, sender, units } };
  }

  function asKnown(id: TransactionId, known: NonNullable<ReturnType<typeof knownAs>>): SubmitResult {
    flow.known();
    return { type: 'known', id, ...known };
  }

  function knownAs(id: string, bytes: Uint8Array) {
    const pooled = pool.get(id);
    if (pooled) return { where: 'pool', sameBytes: bytesEqual(pooled.prepared.bytes, bytes) } as const;
    if (recent.isIncluded(id)) return { where: 'chain', sameBytes: true } as const;
    if (parts.isEnclosed(id)) return { where: 'pool', sameBytes: true } as const;
    return undefined;
  }

  /** After the signature check. Meanwhile the same transaction may have come another way, and the pool may be full. */
  function take({ decoded, id, sender, units }: Candidate, verdict: Verdict, from: PeerKey | undefined): SubmitResult {
    if (verdict === 'not-now') return reject(decoded.id, 'verification-limit', METERED_MESSAGE, limits.retryAfterMs);
    if (verdict !== 'good') return reject(decoded.id, verdict, AUTHORITY_MESSAGES[verdict]);
    const known = knownAs(id, decoded.bytes);
    if (known) return asKnown(decoded.id, known);
    const { body } = decoded.transaction;
    const entry: PoolTransaction = {
      prepared: { ...decoded, signatureValid: true },
      transaction: decoded.transaction,
      id,
      sender,
      expiryMs: body.expiryMs,
      units,
      peer: from,
      arrivedMs: clock.monotonicMs(),
    };
    const full = pool.add(entry);
    if (full) return rejectFull(decoded.id, full);
    parts.accepted(entry, forwarder.add({ bytes: decoded.bytes, senderKey: body.sender.bytes }, from));
    return { type: 'accepted', id: decoded.id, expiryMs: body.expiryMs };
  }

  async function whileChecking<T>(count: number, work: () => Promise<T>): Promise<T> {
    checking += count;
    try {
      return await work();
    } catch (cause) {
      flow.refused('unchecked', count);
      throw cause;
    } finally {
      checking -= count;
    }
  }

  async function submit(bytes: Uint8Array, source = LOCAL_SOURCE): Promise<SubmitResult> {
    const judged = judge(bytes.slice(), undefined);
    if ('result' in judged) return knownOrRefused(judged.result);
    const { candidate } = judged;
    const budget = parts.budgets.of(source);
    return whileChecking(1, async () => {
      const [allowed = judged] = await allowedOf([candidate]);
      if ('result' in allowed) return allowed.result;
      return take(candidate, await signatures.checkGathered(candidate.decoded, budget), undefined);
    });
  }

  /** What the committed state says, of all at once. */
  async function allowedOf(candidates: readonly Candidate[]): Promise<readonly Judged[]> {
    const { rules } = setting;
    const [uncovered, sessions] = await Promise.all([
      uncoveredOf(
        candidates.map(({ decoded }) => decoded.transaction),
        rules,
      ),
      rules.sessionRefusals?.(
        candidates.map(({ decoded }) => decoded),
        clock.wallMs(),
      ),
    ]);
    return candidates.map((candidate, i) => {
      const { id } = candidate.decoded;
      const [refused, session] = [uncovered[i], sessions?.[i]];
      if (refused) return { result: reject(id, refused.reason, refused.message) };
      return session ? { result: reject(id, session, AUTHORITY_MESSAGES[session]) } : { candidate };
    });
  }

  /**
   * An expired transaction may be one that the chain holds: sending the same bytes again then answers with it. What has not
   * expired and was included is in `recent`, so nothing else is worth a look into the ledger (0.8 ms of the main thread).
   */
  async function knownOrRefused(result: SubmitResult): Promise<SubmitResult> {
    if (result.type !== 'rejected' || result.reason !== 'expired' || !result.id) return result;
    if (!(await parts.ledgerLookup(result.id))) return result;
    return { type: 'known', id: result.id, where: 'chain', sameBytes: true };
  }

  async function onTransactions(from: PeerKey, frame: Uint8Array): Promise<void> {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'transactions') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a transactions frame' : decoded.error.message);
      return;
    }
    const candidates: Candidate[] = [];
    for (const bytes of decoded.value.value.transactions) {
      const judged = judge(bytes.slice(), from, candidates.length); // a view would keep the whole frame in memory
      if ('candidate' in judged) candidates.push(judged.candidate);
      else if (isOffence(judged.result)) reports.offence(from, 'malformed-frame', 'forwarded what is no transaction');
    }
    if (candidates.length > 0) await whileChecking(candidates.length, () => takeForwarded(candidates, from));
  }

  async function takeForwarded(candidates: readonly Candidate[], from: PeerKey): Promise<void> {
    const judged = await allowedOf(candidates);
    const allowed = judged.flatMap((each) => ('candidate' in each ? [each.candidate] : []));
    const verdicts = await signatures.check(
      allowed.map(({ decoded }) => decoded),
      'client',
      parts.budgets.of(from),
    );
    for (const [i, candidate] of allowed.entries()) {
      const verdict = verdicts[i] as Verdict;
      take(candidate, verdict, from);
      if (verdict === 'good' || verdict === 'not-now') continue;
      reports.offence(from, 'invalid-signature', `forwarded ${candidate.id} without authority: ${verdict}`);
    }
  }

  return {
    submit,
    onTransactions,
    get checking() {
      return checking;
    },
  };
}

/** Who submits without saying from where: the node itself. */
const LOCAL_SOURCE = 'local';
const METERED_MESSAGE =
  'too many credentials from this address were false: wait, or use a session that this chain knows';

const FULL_MESSAGES: Readonly<Record<PoolRefusal, string>> = {
  'pool-full': 'the node has as many transactions waiting as it takes: try again later',
  'sender-limit': 'this sender has as many transactions waiting as one may: wait for some to be final',
  'peer-limit': 'this peer has brought as many waiting transactions as one may',
};

/** Honest nodes decode before they forward, so that malformed bytes are the peer's own doing. */
function isOffence(result: SubmitResult): boolean {
  return result.type === 'rejected' && result.reason === 'malformed';
}

function faultOf(bytes: Uint8Array): string {
  const decoded = transactionCodec.decode(bytes);
  return decoded.ok ? '' : decoded.error.message;
}
