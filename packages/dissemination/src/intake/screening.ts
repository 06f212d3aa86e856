/**
 * Screening: checks before the signature, cheapest first.
 *
 *   form --> known? --> rules --> client window --> verification limits --> room --> committed balance and session
 */
import type { IssuerMeter } from '@slipstream/crypto';
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  accountKeyText,
  type DecodedTransaction,
  type Hex,
  hexOf,
  type TransactionId,
  transactionCodec,
} from '@slipstream/types';
import type { Components } from '../components.ts';
import type { ClientWindow } from '../control/client-window.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { Flow } from '../metrics/flow.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import type { RecentOutcomes } from '../pool/recent-outcomes.ts';
import type { Producer } from '../producer/producer.ts';
import { type AdmissionSetting, admissionOf, coverageOf } from './admission.ts';
import type { Answers, KnownCopy } from './answers.ts';
import type { Candidate, Screened } from './candidate.ts';
import type { ChecksUnderWay } from './checks-under-way.ts';
import type { PeerCredit } from './peer-credit.ts';
import { AUTHORITY_MESSAGES } from './session-messages.ts';

export interface Screening {
  /** `before`: candidates of the same request so far. */
  byContent(decoded: DecodedTransaction, from: TransactionSource, before: number): Screened;
  /** By committed state. `areCovered`: a trusted forwarder has checked the balances. */
  byState(candidates: readonly Candidate[], areCovered: boolean): Promise<readonly Screened[]>;
  /** Undefined: new. */
  knownCopyOf(id: Hex<TransactionId>, bytes: Uint8Array, peer: PeerKey | undefined): KnownCopy | undefined;
}

interface TransactionSource {
  /** The address or peer that pays for checks. */
  readonly payer: string;
  /** Undefined: a client. */
  readonly peer: PeerKey | undefined;
  /** Of a peer outside the committee; undefined: no such limit. */
  readonly credit: Pick<PeerCredit, 'mayCheck'> | undefined;
}

export interface ScreeningParts extends Pick<Components, 'clock'> {
  readonly pool: Pick<Mempool, 'get' | 'refusal'>;
  readonly recent: Pick<RecentOutcomes, 'isIncluded'>;
  readonly ready: Pick<ReadyQueue, 'isInChunk'>;
  readonly producer: Pick<Producer, 'isBehind'>;
  readonly window: Pick<ClientWindow, 'hasCapacity'>;
  readonly meter: Pick<IssuerMeter, 'hasTokens'>;
  readonly flow: Pick<Flow, 'arrived'>;
  readonly checks: ChecksUnderWay;
  readonly committees: Pick<Committees, 'current'>;
  readonly answers: Answers;
}

export function createScreening(
  parts: ScreeningParts,
  setting: AdmissionSetting,
  limits: Pick<DisseminationLimits, 'intakeTransactionsMax'>,
): Screening {
  const { pool, clock, checks, answers, window, meter, flow, committees } = parts;
  const { rules } = setting;

  /**
   * A client's transaction that only a chunk holds is taken: if the chunk expires, the pool packs it again and reports its end. A peer's
   * copy is not worth a signature check.
   */
  function knownCopyOf(id: Hex<TransactionId>, bytes: Uint8Array, peer: PeerKey | undefined): KnownCopy | undefined {
    const pooled = pool.get(id);
    if (pooled) return { where: 'pool', sameBytes: bytesEqual(pooled.bytes, bytes) };
    if (parts.recent.isIncluded(id)) return { where: 'chain', sameBytes: true };
    if (peer !== undefined && parts.ready.isInChunk(id)) return { where: 'pool', sameBytes: true };
    return undefined;
  }

  function isCongested(before: number): boolean {
    return parts.producer.isBehind() || !window.hasCapacity(checks.countOfClients + before + 1);
  }

  function byContent(decoded: DecodedTransaction, from: TransactionSource, before: number): Screened {
    const { payer, peer, credit } = from;
    flow.arrived(peer === undefined ? 'client' : 'peer');
    const { id, bytes } = decoded;
    if (!isTransaction(decoded)) return { result: answers.rejected(undefined, 'malformed', faultOf(bytes)) };
    const { transaction } = decoded;
    const hex = hexOf(id);
    const known = knownCopyOf(hex, bytes, peer);
    if (known) return { result: answers.known(id, known) };
    const { epoch } = committees.current;
    const units = rules.unitsOf(transaction, bytes.length, epoch);
    if (units === undefined) return { result: answers.full(id, 'congested') };
    const feeClass = admissionOf(transaction, units, clock.wallMs(), setting);
    if (typeof feeClass !== 'string') return { result: answers.rejected(id, feeClass.reason, feeClass.message) };
    const sender = accountKeyText(transaction.body.sender);
    if (peer === undefined && isCongested(before)) return { result: answers.full(id, 'congested') };
    const isLimited = !meter.hasTokens(payer) || (credit !== undefined && !credit.mayCheck(payer, before));
    if (isLimited) return { result: answers.overVerificationLimit(id) };
    if (checks.count + before >= limits.intakeTransactionsMax) return { result: answers.full(id, 'pool-full') };
    const full = pool.refusal(bytes.length, sender, peer);
    if (full) return { result: answers.full(id, full) };
    return { candidate: { decoded, id: hex, sender, units, epoch, feeClass } };
  }

  async function byState(candidates: readonly Candidate[], areCovered: boolean): Promise<readonly Screened[]> {
    // The sender's balance bounds its urgent transactions.
    const isUnneeded = areCovered && candidates.every(({ feeClass }) => feeClass !== 'urgent');
    const transactions = candidates.map(({ decoded }) => decoded.transaction);
    const [coverage, sessions] = await Promise.all([
      isUnneeded ? [] : coverageOf(transactions, rules),
      rules.sessionRefusals?.(
        candidates.map(({ decoded }) => decoded),
        clock.wallMs(),
      ),
    ]);
    return candidates.map((candidate, i) => {
      const { id } = candidate.decoded;
      const [covered, session] = [coverage[i], sessions?.[i]];
      if (typeof covered === 'object') return { result: answers.rejected(id, covered.reason, covered.message) };
      if (session) return { result: answers.rejected(id, session, AUTHORITY_MESSAGES[session]) };
      return { candidate: candidate.feeClass === 'urgent' ? { ...candidate, balance: covered } : candidate };
    });
  }

  return { byContent, byState, knownCopyOf };
}

function isTransaction(decoded: DecodedTransaction): decoded is Candidate['decoded'] {
  return decoded.transaction !== undefined;
}

function faultOf(bytes: Uint8Array): string {
  const decoded = transactionCodec.decode(bytes);
  return decoded.ok ? '' : decoded.error.message;
}
