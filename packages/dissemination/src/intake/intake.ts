/**
 * Intake: the way of a transaction into the pool, from a client or from a peer.
 *
 *   bytes --> decode --> known? --> rules --> room? --> balance --> signature --> pool --> forwarder
 *                                            \--window full, or too many bad signatures lately--> come later
 *
 * Cheap checks first; a signature is verified only for what would be taken. Everything refused has a reason, a message for
 * its submitter, and a count.
 */
import type { Budgets, IssuerMeter } from '@slipstream/crypto';
import type { Clock, PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  accountKeyText,
  type Committee,
  type CredentialMemory,
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
import type { Components } from '../components.ts';
import type { ClientWindow } from '../control/client-window.ts';
import type { Forwarder } from '../forwarding/forwarder.ts';
import type { TrustedForwarders } from '../forwarding/trusted-forwarders.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { Flow } from '../metrics/flow.ts';
import type { FeeClass } from '../pool/fee-class.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { PoolTransaction } from '../pool/pool-transaction.ts';
import type { RecentOutcomes } from '../pool/recent-outcomes.ts';
import { type AdmissionSetting, admissionOf, coverageOf } from './admission.ts';
import { copyTransactions } from './copy-transactions.ts';
import { FULL_MESSAGES, type FullReason, VERIFICATION_LIMIT_MESSAGE, WASTED_WORK_MESSAGE } from './intake-messages.ts';
import { CLIENT_WORK, costUnitsOf, createPeerCredit, PEER_WORK, VALIDATOR_WORK } from './peer-credit.ts';
import { AUTHORITY_MESSAGES } from './session-messages.ts';
import type { SignatureChecks, Verdict } from './signature-checks.ts';
import type { RejectReason, SubmitResult } from './submit-result.ts';

export interface Intake {
  /**
   * One result each, in order. Never rejects for what the bytes are; rejects when the verifier or the ledger fails. Takes copies.
   * `source` is whose budget pays for signatures and credentials that turn out false: an address.
   */
  submit(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitResult[]>;
  /** A `transactions` frame, kind byte included. Settles when all of it is judged. */
  onTransactions(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** Transactions of clients and peers in checks now. */
  readonly checking: number;
}

export interface IntakeParts extends Pick<Components, 'clock' | 'reports' | 'ledgerLookup' | 'telemetry'> {
  readonly pool: Mempool;
  readonly recent: RecentOutcomes;
  readonly signatures: SignatureChecks;
  readonly credentials: CredentialMemory;
  readonly budgets: Budgets;
  readonly meter: IssuerMeter;
  readonly window: Pick<ClientWindow, 'hasRoom'>;
  readonly forwarder: Forwarder;
  readonly trustedForwarders: Pick<TrustedForwarders, 'isTrusted'>;
  readonly drops: DropCounter;
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
  readonly feeClass: FeeClass;
  /** Of the sender, of one that is urgent; undefined: not looked at. */
  readonly balance?: bigint | undefined;
}

/** Of what a peer forwarded. */
interface Taken {
  /** Looks at what was not (peer-credit.ts). */
  readonly vain: number;
  /** Verified, and by whom they are said to be or not. */
  readonly good: number;
  readonly bad: number;
}

type Judged = { readonly candidate: Candidate } | { readonly result: SubmitResult };

export function createIntake(
  parts: IntakeParts,
  setting: AdmissionSetting & { readonly committee: Committee },
  limits: DisseminationLimits,
): Intake {
  const { pool, recent, signatures, meter, window, forwarder, drops, flow, reports } = parts;
  const { clock }: { clock: Clock } = parts;
  const members = new Set<string>(setting.committee.members.map(({ peerKey }) => peerKey));
  const credit = createPeerCredit(parts, (peer) => (members.has(peer) ? VALIDATOR_WORK : PEER_WORK));
  const addresses = createPeerCredit(parts, () => CLIENT_WORK);
  let checking = 0;
  let checkingOfClients = 0;

  function reject(
    id: TransactionId | undefined,
    reason: RejectReason,
    message: string,
    retryAfterMs?: number,
  ): SubmitResult {
    drops.add(reason);
    flow.refused(reason);
    return { type: 'rejected', reason, message, id, retryAfterMs };
  }

  function rejectFull(id: TransactionId, reason: FullReason): SubmitResult {
    return reject(id, reason, FULL_MESSAGES[reason], limits.retryAfterMs);
  }

  function judge(decoded: DecodedTransaction, from: PeerKey | undefined, source: string, before: number): Judged {
    flow.arrived(from === undefined ? 'client' : 'peer');
    const { id, bytes } = decoded;
    if (!isTransaction(decoded)) return { result: reject(undefined, 'malformed', faultOf(bytes)) };
    const { transaction } = decoded;
    const hex = hexOf(id);
    const known = knownAs(hex, bytes, from);
    if (known) return { result: asKnown(id, known) };
    const units = setting.rules.unitsOf(transaction, bytes.length);
    const feeClass = admissionOf(transaction, units, clock.wallMs(), setting);
    if (typeof feeClass !== 'string') return { result: reject(id, feeClass.reason, feeClass.message) };
    const sender = accountKeyText(transaction.body.sender);
    if (from === undefined && (parts.isCongested() || !window.hasRoom(checkingOfClients + before + 1))) {
      return { result: rejectFull(id, 'congested') };
    }
    const isStranger = from !== undefined && !members.has(from);
    if (!meter.mayAsk(source) || (isStranger && !credit.mayCheck(from, before))) {
      return { result: reject(id, 'verification-limit', VERIFICATION_LIMIT_MESSAGE, limits.retryAfterMs) };
    }
    if (checking + before >= limits.intakeTransactionsMax) return { result: rejectFull(id, 'pool-full') };
    const full = pool.refusal(bytes.length, sender, from);
    if (full) return { result: rejectFull(id, full) };
    return { candidate: { decoded, id: hex, sender, units, feeClass } };
  }

  function asKnown(id: TransactionId, known: NonNullable<ReturnType<typeof knownAs>>): SubmitResult {
    flow.known();
    return { type: 'known', id, ...known };
  }

  /**
   * A chunk that holds it may yet be let go, and after a restart nothing else does: a client that sends it again is told "taken in" only
   * when the pool has it, which packs it anew then and tells how it ended. A peer's copy is worth no signature check.
   */
  function knownAs(id: string, bytes: Uint8Array, from: PeerKey | undefined) {
    const pooled = pool.get(id);
    if (pooled) return { where: 'pool', sameBytes: bytesEqual(pooled.bytes, bytes) } as const;
    if (recent.isIncluded(id)) return { where: 'chain', sameBytes: true } as const;
    if (from !== undefined && parts.isEnclosed(id)) return { where: 'pool', sameBytes: true } as const;
    return undefined;
  }

  /** After the signature check. Meanwhile the same transaction may have come another way, and the pool may be full. */
  function take(candidate: Candidate, verdict: Verdict, from: PeerKey | undefined): SubmitResult {
    const { decoded, id, sender, units, balance } = candidate;
    if (verdict === 'not-now')
      return reject(decoded.id, 'verification-limit', VERIFICATION_LIMIT_MESSAGE, limits.retryAfterMs);
    if (verdict !== 'good') return reject(decoded.id, verdict, AUTHORITY_MESSAGES[verdict]);
    const known = knownAs(id, decoded.bytes, from);
    if (known) return asKnown(decoded.id, known);
    const { body } = decoded.transaction;
    const isUrgent = candidate.feeClass === 'urgent' && pool.hasUrgentRoom(sender, body.maxFee, balance);
    const entry: PoolTransaction = {
      bytes: decoded.bytes,
      id,
      sender,
      maxFee: body.maxFee,
      expiryMs: body.expiryMs,
      units,
      feeClass: isUrgent ? 'urgent' : 'ordinary',
      peer: from,
      arrivedMs: clock.monotonicMs(),
    };
    const full = pool.add(entry);
    if (full) return rejectFull(decoded.id, full);
    parts.accepted(entry, forwarder.add({ bytes: decoded.bytes, senderKey: body.sender.bytes }, from));
    return { type: 'accepted', id: decoded.id, expiryMs: body.expiryMs };
  }

  async function whileChecking<T>(count: number, isClients: boolean, work: () => Promise<T>): Promise<T> {
    const ofClients = isClients ? count : 0;
    checking += count;
    checkingOfClients += ofClients;
    try {
      return await work();
    } catch (cause) {
      flow.refused('unchecked', count);
      throw cause;
    } finally {
      checking -= count;
      checkingOfClients -= ofClients;
    }
  }

  async function submit(transactions: readonly Uint8Array[], source = LOCAL_SOURCE): Promise<readonly SubmitResult[]> {
    const candidates: Candidate[] = [];
    const vainMax = source === LOCAL_SOURCE ? Number.POSITIVE_INFINITY : addresses.workLeft(source);
    let vain = 0;
    const judged = copyTransactions(transactions).map((bytes) => {
      if (vain >= vainMax) return unseen();
      const decoded = decodeTransaction(bytes, parts.credentials);
      const each = judge(decoded, undefined, source, candidates.length);
      if ('candidate' in each) candidates.push(each.candidate);
      else vain += costUnitsOf(decoded, parts.credentials);
      return each;
    });
    addresses.chargeWasted(source, vain);
    const taken =
      candidates.length === 0 ? [] : await whileChecking(candidates.length, true, () => check(candidates, source));
    addresses.chargeWasted(source, looksAtAll(candidates.filter((_, i) => taken[i]?.type !== 'accepted')));
    let at = 0;
    return Promise.all(
      judged.map((each) => ('result' in each ? knownOrRefused(each.result) : (taken[at++] as SubmitResult))),
    );
  }

  function unseen(): Judged {
    flow.arrived('client');
    return { result: reject(undefined, 'verification-limit', WASTED_WORK_MESSAGE, limits.retryAfterMs) };
  }

  /** Of clients: what the state says, then the signatures of those it allows, then into the pool. */
  async function check(candidates: readonly Candidate[], source: string): Promise<readonly SubmitResult[]> {
    const judged = await allowedOf(candidates, false);
    const allowed = judged.flatMap((each) => ('candidate' in each ? [each.candidate] : []));
    const payer = { name: source, budget: parts.budgets.of(source) };
    const verdicts = allowed.length === 0 ? [] : await signatures.checkGathered(decodedOf(allowed), payer);
    noteBad(verdicts, source);
    let at = 0;
    return judged.map((each) =>
      'result' in each ? each.result : take(each.candidate, verdicts[at++] as Verdict, undefined),
    );
  }

  function noteBad(verdicts: readonly Verdict[], source: string): void {
    const bad = verdicts.filter((verdict) => verdict === 'bad-signature').length;
    if (bad > 0) meter.failed(source, bad);
  }

  /** What the committed state says, of all at once. Of an urgent one the balance is needed. */
  async function allowedOf(candidates: readonly Candidate[], areCovered: boolean): Promise<readonly Judged[]> {
    const { rules } = setting;
    const isKnown = areCovered && candidates.every(({ feeClass }) => feeClass !== 'urgent');
    const [coverage, sessions] = await Promise.all([
      isKnown
        ? []
        : coverageOf(
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
      const [covered, session] = [coverage[i], sessions?.[i]];
      if (typeof covered === 'object') return { result: reject(id, covered.reason, covered.message) };
      if (session) return { result: reject(id, session, AUTHORITY_MESSAGES[session]) };
      return { candidate: candidate.feeClass === 'urgent' ? { ...candidate, balance: covered } : candidate };
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
    const isStranger = !members.has(from);
    const vainMax = credit.workLeft(from);
    if (vainMax === 0) return drops.add('peer-limit');
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'transactions') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a transactions frame' : decoded.error.message);
      return;
    }
    const candidates: Candidate[] = [];
    let malformed = false;
    let seen = 0;
    let vain = 0;
    const { transactions } = decoded.value.value;
    for (const bytes of copyTransactions(transactions)) {
      if (vain >= vainMax) break;
      seen += 1;
      const each = decodeTransaction(bytes, parts.credentials);
      const judged = judge(each, from, from, candidates.length);
      if ('candidate' in judged) candidates.push(judged.candidate);
      else {
        vain += costUnitsOf(each, parts.credentials);
        malformed ||= isOffence(judged.result);
      }
    }
    // Once for the frame: it may hold hundreds.
    if (malformed) reports.offence(from, 'malformed-frame', 'forwarded what is no transaction');
    const count = candidates.length;
    const unseen = transactions.length - seen;
    if (unseen > 0) drops.add('peer-limit', unseen);
    if (isStranger) credit.startChecks(from, count);
    let taken: Taken = { vain: looksAtAll(candidates), good: 0, bad: 0 };
    try {
      if (count > 0) taken = await whileChecking(count, false, () => takeForwarded(candidates, from));
    } finally {
      if (isStranger) credit.endChecks(from, count, taken);
      credit.chargeWasted(from, vain + taken.vain);
    }
  }

  function looksAtAll(candidates: readonly Candidate[]): number {
    return candidates.reduce((sum, { decoded }) => sum + costUnitsOf(decoded, parts.credentials), 0);
  }

  async function takeForwarded(candidates: readonly Candidate[], from: PeerKey): Promise<Taken> {
    const judged = await allowedOf(candidates, parts.trustedForwarders.isTrusted(from));
    const allowed = judged.flatMap((each) => ('candidate' in each ? [each.candidate] : []));
    const payer = { name: from, budget: parts.budgets.of(from) };
    const verdicts = await signatures.check(decodedOf(allowed), 'client', payer);
    noteBad(verdicts, from);
    let offence: string | undefined;
    const taken = { vain: looksAtAll(candidates), good: 0, bad: 0 };
    for (let i = 0; i < allowed.length; i++) {
      const candidate = allowed[i] as Candidate;
      const verdict = verdicts[i] as Verdict;
      const looks = costUnitsOf(candidate.decoded, parts.credentials);
      if (take(candidate, verdict, from).type === 'accepted') taken.vain -= looks;
      if (verdict === 'good') taken.good += 1;
      if (verdict === 'good' || verdict === 'not-now') continue;
      taken.bad += 1;
      offence ??= `forwarded ${candidate.id} without authority: ${verdict}`;
    }
    if (offence !== undefined) reports.offence(from, 'invalid-signature', offence);
    return taken;
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

function isTransaction(decoded: DecodedTransaction): decoded is Candidate['decoded'] {
  return decoded.transaction !== undefined;
}

function decodedOf(candidates: readonly Candidate[]): readonly DecodedTransaction[] {
  return candidates.map(({ decoded }) => decoded);
}

/** Honest nodes decode before they forward, so that malformed bytes are the peer's own doing. */
function isOffence(result: SubmitResult): boolean {
  return result.type === 'rejected' && result.reason === 'malformed';
}

function faultOf(bytes: Uint8Array): string {
  const decoded = transactionCodec.decode(bytes);
  return decoded.ok ? '' : decoded.error.message;
}
