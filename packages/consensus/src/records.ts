/** Log records of consensus: encoding, and restoring. */
import { type Codec, type Durable, derived, unreachable } from '@slipstream/primitives';
import {
  type Block,
  blockCodec,
  type Certificate,
  certificateCodec,
  type Epoch,
  type Proposal,
  proposalCodec,
  type SubjectKind,
  type Vote,
  voteCodec,
} from '@slipstream/types';
import type { RecordKind, SyncedKind, UnsyncedKind, WalRecord } from '@slipstream/wal';
import { begunEpochCodec } from './begun-epoch.ts';
import { ConsensusError } from './errors.ts';
import type { BegunEpoch } from './events.ts';
import { type RestoredLog, RestoringLog } from './restored-log.ts';

const VOTE_RECORDS = {
  notarize: 'own-notarize',
  nullify: 'own-nullify',
  finalize: 'own-finalize',
  certify: 'own-certify',
} as const satisfies Record<SubjectKind, SyncedKind>;

interface LogRecord<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly payload: Uint8Array;
}

export function voteRecord(vote: Vote): LogRecord<SyncedKind> {
  return { kind: VOTE_RECORDS[vote.subject.kind], payload: voteCodec.encode(vote) };
}

export function proposalRecord(proposal: Proposal): LogRecord<SyncedKind> {
  return { kind: 'own-proposal', payload: proposalCodec.encode(proposal) };
}

export function certificateRecord(certificate: Certificate): LogRecord<UnsyncedKind> {
  return { kind: 'certificate', payload: certificateCodec.encode(certificate) };
}

export function blockRecord(block: Block): LogRecord<UnsyncedKind> {
  return { kind: 'proposal', payload: blockCodec.encode(block) };
}

export function epochRecord(begun: BegunEpoch): LogRecord<UnsyncedKind> {
  return { kind: 'epoch', payload: begunEpochCodec.encode(begun) };
}

/** The log's checksum held, so an undecodable record is of another version: an error, never skipped. */
function decode<T>(codec: Codec<T>, record: WalRecord): Durable<T> {
  return derived(record.payload, (payload) => decodePayload(codec, record, payload));
}

function decodePayload<T>(codec: Codec<T>, record: WalRecord, payload: Uint8Array): T {
  const decoded = codec.decode(payload);
  if (decoded.ok) return decoded.value;
  throw new ConsensusError(
    'record-unreadable',
    `log record ${record.sequence} (${record.kind}) cannot be read: ${decoded.error.message}. Was it written by another version?`,
    { sequence: record.sequence, kind: record.kind },
  );
}

/** Undefined: of another kind. Throws ConsensusError `record-unreadable`. */
export function begunEpochIn(record: WalRecord): BegunEpoch | undefined {
  return record.kind === 'epoch' ? decode(begunEpochCodec, record) : undefined;
}

/** `first`: the epoch to start in. Skips the records of dissemination. Throws ConsensusError `epoch-unknown` for a log of another ledger. */
export async function restoreFrom(records: AsyncIterable<WalRecord>, first: Epoch): Promise<RestoredLog> {
  const restoring = new RestoringLog(first);
  for await (const record of records) {
    switch (record.kind) {
      case 'own-notarize':
      case 'own-nullify':
      case 'own-finalize':
      case 'own-certify':
        restoring.vote(decode(voteCodec, record), record);
        break;
      case 'own-proposal':
        restoring.proposal(decode(proposalCodec, record), record);
        break;
      case 'certificate':
        restoring.certificate(decode(certificateCodec, record));
        break;
      case 'proposal':
        restoring.block(decode(blockCodec, record));
        break;
      case 'epoch':
        restoring.epoch(decode(begunEpochCodec, record), record);
        break;
      case 'own-chunk-ack':
      case 'own-chunk-header':
      case 'chunk':
        break;
      default:
        unreachable(record.kind, 'record kind');
    }
  }
  return restoring.end();
}
