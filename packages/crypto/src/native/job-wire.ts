/**
 * Jobs for a verifier's threads: one transferred flat buffer each, as structured clone is ten times as slow.
 *
 *   id u32 | kind u8 | lane u8 | body
 *
 * Little-endian; byte strings have a length prefix (u32). Both ends are one program, so lengths are not validated. A change of committees is
 * rare, is a plain object and has no reply.
 */
import type {
  AccountSignature,
  DistilledClaim,
  QuorumRequest,
  Share,
  ShareRequest,
  SignedVote,
  Statement,
} from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import { createReader, createWriter, LENGTH_BYTES, type Reader, sizeOf, total, type Writer } from './flat-bytes.ts';

export interface CommitteeChange {
  readonly epoch: number;
  /** Undefined: dropped. */
  readonly publicKeys: readonly Uint8Array[] | undefined;
}

/** Own signing, then the port's priorities. */
export const JOB_LANES = ['sign', 'consensus', 'block', 'chunk', 'client'] as const;
export type JobLane = (typeof JOB_LANES)[number];

export type Job =
  | { readonly kind: 'sign'; readonly publicKey: Uint8Array; readonly messages: readonly Uint8Array[] }
  | { readonly kind: 'add-key'; readonly secretKey: Uint8Array }
  | { readonly kind: 'remove-key'; readonly publicKey: Uint8Array }
  | { readonly kind: 'quorum'; readonly request: QuorumRequest }
  | { readonly kind: 'batch'; readonly batch: readonly Statement[] }
  | { readonly kind: 'accounts'; readonly batch: readonly AccountSignature[] }
  | { readonly kind: 'distilled'; readonly claims: readonly DistilledClaim[] }
  | { readonly kind: 'shares'; readonly request: ShareRequest };
export type JobKind = Job['kind'];
export const JOB_KINDS = [
  'sign',
  'add-key',
  'remove-key',
  'quorum',
  'batch',
  'accounts',
  'distilled',
  'shares',
] as const satisfies readonly JobKind[];
const STATEMENT_KINDS = ['vote', 'certificate', 'aggregate'] as const satisfies readonly Statement['kind'][];

interface Envelope {
  readonly id: number;
  readonly lane: JobLane;
}

export function encodeJob({ id, lane }: Envelope, job: Job): Uint8Array<ArrayBuffer> {
  const writer = createWriter(jobBytes(job));
  writer.u32(id);
  writer.u8(JOB_KINDS.indexOf(job.kind));
  writer.u8(JOB_LANES.indexOf(lane));
  switch (job.kind) {
    case 'sign':
      writer.bytes(job.publicKey);
      writer.list(job.messages, writer.bytes);
      break;
    case 'add-key':
      writer.bytes(job.secretKey);
      break;
    case 'remove-key':
      writer.bytes(job.publicKey);
      break;
    case 'quorum':
      writer.u32(job.request.epoch);
      writer.bytes(job.request.message);
      writer.list(job.request.votes, ({ signer, verified, signature }: SignedVote) => {
        writer.u32(signer);
        writer.u8(verified ? 1 : 0);
        writer.bytes(signature);
      });
      break;
    case 'batch':
      writer.list(job.batch, (statement) => writeStatement(writer, statement));
      break;
    case 'accounts':
      writer.list(job.batch, ({ publicKey, message, signature }: AccountSignature) => {
        writer.bytes(publicKey);
        writer.bytes(message);
        writer.bytes(signature);
      });
      break;
    case 'distilled':
      writer.list(job.claims, ({ message, keys, aggregate }: DistilledClaim) => {
        writer.bytes(message);
        writer.bytes(keys);
        writer.bytes(aggregate);
      });
      break;
    case 'shares':
      writer.bytes(job.request.message);
      writer.list(job.request.shares, ({ keys, signature }: Share) => {
        writer.bytes(keys);
        writer.bytes(signature);
      });
      break;
    default:
      unreachable(job, 'job');
  }
  return writer.finish();
}

function writeStatement(writer: Writer, statement: Statement): void {
  writer.u8(STATEMENT_KINDS.indexOf(statement.kind));
  writer.bytes(statement.message);
  switch (statement.kind) {
    case 'vote':
      writer.u32(statement.epoch);
      writer.u32(statement.signer);
      writer.bytes(statement.signature);
      break;
    case 'certificate':
      writer.u32(statement.epoch);
      writer.list(statement.signers, writer.u32);
      writer.bytes(statement.aggregate);
      break;
    case 'aggregate':
      writer.list(statement.publicKeys, writer.bytes);
      writer.bytes(statement.aggregate);
      break;
    default:
      unreachable(statement, 'statement');
  }
}

function readStatement(reader: Reader): Statement {
  const kind = STATEMENT_KINDS[reader.u8()] as Statement['kind'];
  const message = reader.bytes();
  switch (kind) {
    case 'vote': {
      const epoch = reader.u32();
      const signer = reader.u32();
      return { kind, epoch, message, signer, signature: reader.bytes() };
    }
    case 'certificate': {
      const epoch = reader.u32();
      const signers = reader.list(reader.u32);
      return { kind, epoch, message, signers, aggregate: reader.bytes() };
    }
    case 'aggregate': {
      const publicKeys = reader.list(reader.bytes);
      return { kind, message, publicKeys, aggregate: reader.bytes() };
    }
    default:
      return unreachable(kind, 'statement');
  }
}

/** The fields that the queue sorts by. */
export function readEnvelope(encoded: Uint8Array): Envelope {
  const reader = createReader(encoded);
  const id = reader.u32();
  reader.u8();
  return { id, lane: JOB_LANES[reader.u8()] as JobLane };
}

/** Byte strings share the buffer's memory. */
export function decodeJob(encoded: Uint8Array): Job {
  const reader = createReader(encoded);
  reader.u32();
  const kind = JOB_KINDS[reader.u8()] as JobKind;
  reader.u8();
  switch (kind) {
    case 'sign': {
      const publicKey = reader.bytes();
      return { kind, publicKey, messages: reader.list(reader.bytes) };
    }
    case 'add-key':
      return { kind, secretKey: reader.bytes() };
    case 'remove-key':
      return { kind, publicKey: reader.bytes() };
    case 'quorum': {
      const epoch = reader.u32();
      const message = reader.bytes();
      const votes = reader.list(() => {
        const signer = reader.u32();
        const verified = reader.u8() === 1;
        return { signer, verified, signature: reader.bytes() };
      });
      return { kind, request: { epoch, message, votes } };
    }
    case 'batch':
      return { kind, batch: reader.list(() => readStatement(reader)) };
    case 'accounts': {
      const account = (): AccountSignature => {
        const publicKey = reader.bytes();
        const message = reader.bytes();
        return { publicKey, message, signature: reader.bytes() };
      };
      return { kind, batch: reader.list(account) };
    }
    case 'distilled': {
      const claim = (): DistilledClaim => {
        const message = reader.bytes();
        const keys = reader.bytes();
        return { message, keys, aggregate: reader.bytes() };
      };
      return { kind, claims: reader.list(claim) };
    }
    case 'shares': {
      const message = reader.bytes();
      const share = (): Share => {
        const keys = reader.bytes();
        return { keys, signature: reader.bytes() };
      };
      return { kind, request: { message, shares: reader.list(share) } };
    }
    default:
      return unreachable(kind, 'job kind');
  }
}

const JOB_HEAD_BYTES = 6;

function jobBytes(job: Job): number {
  switch (job.kind) {
    case 'sign':
      return JOB_HEAD_BYTES + sizeOf(job.publicKey) + LENGTH_BYTES + total(job.messages, sizeOf);
    case 'add-key':
      return JOB_HEAD_BYTES + sizeOf(job.secretKey);
    case 'remove-key':
      return JOB_HEAD_BYTES + sizeOf(job.publicKey);
    case 'quorum': {
      const voteBytes = ({ signature }: SignedVote): number => 5 + sizeOf(signature);
      return JOB_HEAD_BYTES + 4 + sizeOf(job.request.message) + LENGTH_BYTES + total(job.request.votes, voteBytes);
    }
    case 'batch':
      return JOB_HEAD_BYTES + LENGTH_BYTES + total(job.batch, statementBytes);
    case 'accounts': {
      const accountBytes = ({ publicKey, message, signature }: AccountSignature): number =>
        sizeOf(publicKey) + sizeOf(message) + sizeOf(signature);
      return JOB_HEAD_BYTES + LENGTH_BYTES + total(job.batch, accountBytes);
    }
    case 'distilled': {
      const claimBytes = ({ message, keys, aggregate }: DistilledClaim): number =>
        sizeOf(message) + sizeOf(keys) + sizeOf(aggregate);
      return JOB_HEAD_BYTES + LENGTH_BYTES + total(job.claims, claimBytes);
    }
    case 'shares': {
      const shareBytes = ({ keys, signature }: Share): number => sizeOf(keys) + sizeOf(signature);
      const { message, shares } = job.request;
      return JOB_HEAD_BYTES + sizeOf(message) + LENGTH_BYTES + total(shares, shareBytes);
    }
    default:
      return unreachable(job, 'job');
  }
}

function statementBytes(statement: Statement): number {
  const head = 1 + sizeOf(statement.message);
  switch (statement.kind) {
    case 'vote':
      return head + 8 + sizeOf(statement.signature);
    case 'certificate':
      return head + 4 + LENGTH_BYTES + 4 * statement.signers.length + sizeOf(statement.aggregate);
    case 'aggregate':
      return head + LENGTH_BYTES + total(statement.publicKeys, sizeOf) + sizeOf(statement.aggregate);
    default:
      return unreachable(statement, 'statement');
  }
}
