/**
 * Messages between a verifier's threads: one transferred flat buffer per job and reply, as structured clone is ten times as slow.
 *
 *   job:    id u32 | kind u8 | lane u8 | body          reply:  id u32 | status u8 | body
 *
 * Little-endian; byte strings have a length prefix (u32). Both ends are one program, so lengths are not validated.
 */
import type { AccountSignature, QuorumRequest, QuorumResult, SignedVote, Statement } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import type { BatchAnswers } from './batch-check.ts';
import { createReader, createWriter, type Reader, type Writer } from './flat-bytes.ts';

/** Own signing, then the port's priorities. */
export const JOB_LANES = ['sign', 'consensus', 'block', 'chunk', 'client'] as const;
export type JobLane = (typeof JOB_LANES)[number];

export type Job =
  | { readonly kind: 'sign'; readonly messages: readonly Uint8Array[] }
  | { readonly kind: 'quorum'; readonly request: QuorumRequest }
  | { readonly kind: 'batch'; readonly batch: readonly Statement[] }
  | { readonly kind: 'accounts'; readonly batch: readonly AccountSignature[] };
type JobKind = Job['kind'];
const JOB_KINDS = ['sign', 'quorum', 'batch', 'accounts'] as const satisfies readonly JobKind[];
const STATEMENT_KINDS = ['vote', 'certificate', 'aggregate'] as const satisfies readonly Statement['kind'][];

export type Reply =
  | { readonly kind: 'sign'; readonly signatures: readonly Uint8Array[] }
  | { readonly kind: 'quorum'; readonly result: QuorumResult }
  | { readonly kind: 'batch'; readonly answers: BatchAnswers }
  | { readonly kind: 'accounts'; readonly answers: readonly boolean[] };

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
      writer.list(job.messages, writer.bytes);
      break;
    case 'quorum':
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
      writer.u32(statement.signer);
      writer.bytes(statement.signature);
      break;
    case 'certificate':
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
      const signer = reader.u32();
      return { kind, message, signer, signature: reader.bytes() };
    }
    case 'certificate': {
      const signers = reader.list(reader.u32);
      return { kind, message, signers, aggregate: reader.bytes() };
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
    case 'sign':
      return { kind, messages: reader.list(reader.bytes) };
    case 'quorum': {
      const message = reader.bytes();
      const votes = reader.list(() => {
        const signer = reader.u32();
        const verified = reader.u8() === 1;
        return { signer, verified, signature: reader.bytes() };
      });
      return { kind, request: { message, votes } };
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
    default:
      return unreachable(kind, 'job kind');
  }
}

export function encodeReply(id: number, reply: Reply): Uint8Array<ArrayBuffer> {
  const writer = createWriter(replyBytes(reply));
  writer.u32(id);
  writer.u8(JOB_KINDS.indexOf(reply.kind));
  switch (reply.kind) {
    case 'sign':
      writer.list(reply.signatures, writer.bytes);
      break;
    case 'quorum':
      writer.bytes(reply.result.aggregate ?? new Uint8Array(0));
      writer.list(reply.result.offenders, writer.u32);
      writer.list(reply.result.verified, writer.u32);
      writer.u32(reply.result.checks);
      writer.f64(reply.result.tookMs);
      break;
    case 'batch':
      writer.u32(reply.answers.checks);
      writer.list(reply.answers.valid, (valid) => writer.u8(valid ? 1 : 0));
      break;
    case 'accounts':
      writer.list(reply.answers, (valid) => writer.u8(valid ? 1 : 0));
      break;
    default:
      unreachable(reply, 'reply');
  }
  return writer.finish();
}

export function decodeReply(encoded: Uint8Array): { readonly id: number; readonly reply: Reply } {
  const reader = createReader(encoded);
  const id = reader.u32();
  return { id, reply: readReply(JOB_KINDS[reader.u8()] as JobKind, reader) };
}

function readReply(kind: JobKind, reader: Reader): Reply {
  switch (kind) {
    case 'sign':
      // A copy: a retained signature must not retain the reply.
      return { kind, signatures: reader.list(() => reader.bytes().slice()) };
    case 'quorum': {
      const aggregate = reader.bytes().slice();
      const offenders = reader.list(reader.u32);
      const verified = reader.list(reader.u32);
      const checks = reader.u32();
      const tookMs = reader.f64();
      const found = aggregate.length === 0 ? undefined : aggregate;
      return { kind, result: { aggregate: found, offenders, verified, checks, tookMs } };
    }
    case 'batch': {
      const checks = reader.u32();
      return { kind, answers: { checks, valid: reader.list(() => reader.u8() === 1) } };
    }
    case 'accounts':
      return { kind, answers: reader.list(() => reader.u8() === 1) };
    default:
      return unreachable(kind, 'reply kind');
  }
}

const JOB_HEAD_BYTES = 6;
const REPLY_HEAD_BYTES = 5;
const LENGTH_BYTES = 4;

function jobBytes(job: Job): number {
  switch (job.kind) {
    case 'sign':
      return JOB_HEAD_BYTES + LENGTH_BYTES + total(job.messages, sizeOf);
    case 'quorum': {
      const voteBytes = ({ signature }: SignedVote): number => 5 + sizeOf(signature);
      return JOB_HEAD_BYTES + sizeOf(job.request.message) + LENGTH_BYTES + total(job.request.votes, voteBytes);
    }
    case 'batch':
      return JOB_HEAD_BYTES + LENGTH_BYTES + total(job.batch, statementBytes);
    case 'accounts': {
      const accountBytes = ({ publicKey, message, signature }: AccountSignature): number =>
        sizeOf(publicKey) + sizeOf(message) + sizeOf(signature);
      return JOB_HEAD_BYTES + LENGTH_BYTES + total(job.batch, accountBytes);
    }
    default:
      return unreachable(job, 'job');
  }
}

function statementBytes(statement: Statement): number {
  const head = 1 + sizeOf(statement.message);
  switch (statement.kind) {
    case 'vote':
      return head + 4 + sizeOf(statement.signature);
    case 'certificate':
      return head + LENGTH_BYTES + 4 * statement.signers.length + sizeOf(statement.aggregate);
    case 'aggregate':
      return head + LENGTH_BYTES + total(statement.publicKeys, sizeOf) + sizeOf(statement.aggregate);
    default:
      return unreachable(statement, 'statement');
  }
}

function replyBytes(reply: Reply): number {
  switch (reply.kind) {
    case 'sign':
      return REPLY_HEAD_BYTES + LENGTH_BYTES + total(reply.signatures, sizeOf);
    case 'quorum': {
      const { aggregate, offenders, verified } = reply.result;
      const lists = 2 * LENGTH_BYTES + 4 * (offenders.length + verified.length);
      return REPLY_HEAD_BYTES + LENGTH_BYTES + (aggregate?.length ?? 0) + lists + 12;
    }
    case 'batch':
      return REPLY_HEAD_BYTES + 4 + LENGTH_BYTES + reply.answers.valid.length;
    case 'accounts':
      return REPLY_HEAD_BYTES + LENGTH_BYTES + reply.answers.length;
    default:
      return unreachable(reply, 'reply');
  }
}

function sizeOf(bytes: Uint8Array): number {
  return LENGTH_BYTES + bytes.length;
}

function total<T>(items: readonly T[], bytesOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + bytesOf(item), 0);
}
