import type { Clock, PeerKey } from '@slipstream/ports';
import { issuerFault, issuerOfCredential, type Units } from '@slipstream/types';
import type { Rules } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationEvents } from '../events.ts';
import type { Forwarder } from '../forwarding/forwarder.ts';
import type { Mempool } from '../pool/mempool.ts';
import type { PoolTransaction } from '../pool/pool-transaction.ts';
import type { Answers } from './answers.ts';
import type { Candidate } from './candidate.ts';
import type { Screening } from './screening.ts';
import { AUTHORITY_MESSAGES } from './session-messages.ts';
import type { SubmitResult } from './submit-result.ts';
import type { Verdict } from './verdict.ts';

/** The last step of intake. `peer` undefined: a client's. */
export type EnterPool = (candidate: Candidate, verdict: Verdict, peer: PeerKey | undefined) => SubmitResult;

export interface PoolEntryParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly pool: Pick<Mempool, 'add' | 'hasUrgentCapacity'>;
  readonly forwarder: Pick<Forwarder, 'add'>;
  readonly events: Pick<DisseminationEvents, 'accepted'>;
  readonly answers: Answers;
  readonly screening: Pick<Screening, 'knownCopyOf'>;
  readonly rules: Pick<Rules, 'unitsOf'>;
  readonly committees: Pick<Committees, 'current' | 'recordOf'>;
}

export function createPoolEntry(parts: PoolEntryParts): EnterPool {
  const { clock, pool, forwarder, events, answers, screening, committees } = parts;

  function unitsNow({ decoded, units, epoch }: Candidate): Units {
    const { current } = committees;
    if (epoch === current.epoch) return units;
    return parts.rules.unitsOf(decoded.transaction, decoded.bytes.length, current.epoch) ?? units;
  }

  return (candidate, checked, peer) => {
    const { decoded, id, sender, balance } = candidate;
    const { body, auth } = decoded.transaction;
    const issuer = auth.scheme === 'session' ? issuerOfCredential(auth.credential) : undefined;
    // The epoch may have ended during the check.
    const refused = issuer && issuerFault(issuer, committees.recordOf(committees.current.epoch));
    const verdict = checked === 'good' ? (refused ?? checked) : checked;
    if (verdict === 'not-now') return answers.overVerificationLimit(decoded.id);
    if (verdict !== 'good') return answers.rejected(decoded.id, verdict, AUTHORITY_MESSAGES[verdict]);
    const units = unitsNow(candidate);
    // It may have come another way during the check.
    const known = screening.knownCopyOf(id, decoded.bytes, peer);
    if (known) return answers.known(decoded.id, known);
    const isUrgent = candidate.feeClass === 'urgent' && pool.hasUrgentCapacity(sender, body.maxFee, balance);
    const entry: PoolTransaction = {
      bytes: decoded.bytes,
      id,
      sender,
      maxFee: body.maxFee,
      expiryMs: body.expiryMs,
      units,
      feeClass: isUrgent ? 'urgent' : 'ordinary',
      peer,
      issuer,
      arrivedMs: clock.monotonicMs(),
    };
    const full = pool.add(entry);
    if (full) return answers.full(decoded.id, full);
    events.accepted(entry, forwarder.add({ id, bytes: decoded.bytes, senderKey: body.sender.bytes }, peer));
    return { type: 'accepted', id: decoded.id, expiryMs: body.expiryMs };
  };
}
