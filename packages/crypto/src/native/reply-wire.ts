/** Replies of a verifier's threads, as jobs are encoded (job-wire.ts): id u32 | kind u8 | body. */
import type { QuorumResult } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import type { BatchAnswers } from './batch-check.ts';
import { createReader, createWriter, LENGTH_BYTES, type Reader, sizeOf, total } from './flat-bytes.ts';
import { JOB_KINDS, type JobKind } from './job-wire.ts';
import type { ShareAnswers } from './share-sum.ts';

export type Reply =
  /** Undefined: the thread does not hold the key. */
  | { readonly kind: 'sign'; readonly signatures: readonly Uint8Array[] | undefined }
  /** Undefined: invalid. */
  | { readonly kind: 'add-key'; readonly publicKey: Uint8Array | undefined }
  | { readonly kind: 'remove-key' }
  | { readonly kind: 'quorum'; readonly result: QuorumResult }
  | { readonly kind: 'batch'; readonly answers: BatchAnswers }
  | { readonly kind: 'accounts'; readonly answers: readonly boolean[] }
  | { readonly kind: 'distilled'; readonly answers: BatchAnswers }
  | { readonly kind: 'shares'; readonly answers: ShareAnswers };

export function encodeReply(id: number, reply: Reply): Uint8Array<ArrayBuffer> {
  const writer = createWriter(replyBytes(reply));
  writer.u32(id);
  writer.u8(JOB_KINDS.indexOf(reply.kind));
  switch (reply.kind) {
    case 'sign':
      writer.u8(reply.signatures === undefined ? 0 : 1);
      writer.list(reply.signatures ?? [], writer.bytes);
      break;
    case 'add-key':
      writer.bytes(reply.publicKey ?? new Uint8Array(0));
      break;
    case 'remove-key':
      break;
    case 'quorum':
      writer.bytes(reply.result.aggregate ?? new Uint8Array(0));
      writer.list(reply.result.offenders, writer.u32);
      writer.list(reply.result.verified, writer.u32);
      writer.u32(reply.result.checks);
      writer.f64(reply.result.tookMs);
      break;
    case 'batch':
    case 'distilled':
      writer.u32(reply.answers.checks);
      writer.list(reply.answers.valid, (valid) => writer.u8(valid ? 1 : 0));
      break;
    case 'shares':
      writer.bytes(reply.answers.aggregate ?? new Uint8Array(0));
      writer.list(reply.answers.good, (good) => writer.u8(good ? 1 : 0));
      writer.u32(reply.answers.checks);
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
    case 'sign': {
      const isHeld = reader.u8() === 1;
      // A copy: a retained signature must not retain the reply.
      const signatures = reader.list(() => reader.bytes().slice());
      return { kind, signatures: isHeld ? signatures : undefined };
    }
    case 'add-key': {
      const publicKey = reader.bytes().slice();
      return { kind, publicKey: publicKey.length === 0 ? undefined : publicKey };
    }
    case 'remove-key':
      return { kind };
    case 'quorum': {
      const aggregate = reader.bytes().slice();
      const offenders = reader.list(reader.u32);
      const verified = reader.list(reader.u32);
      const checks = reader.u32();
      const tookMs = reader.f64();
      const found = aggregate.length === 0 ? undefined : aggregate;
      return { kind, result: { aggregate: found, offenders, verified, checks, tookMs } };
    }
    case 'batch':
    case 'distilled': {
      const checks = reader.u32();
      return { kind, answers: { checks, valid: reader.list(() => reader.u8() === 1) } };
    }
    case 'shares': {
      const aggregate = reader.bytes().slice();
      const good = reader.list(() => reader.u8() === 1);
      const found = aggregate.length === 0 ? undefined : aggregate;
      return { kind, answers: { aggregate: found, good, checks: reader.u32() } };
    }
    case 'accounts':
      return { kind, answers: reader.list(() => reader.u8() === 1) };
    default:
      return unreachable(kind, 'reply kind');
  }
}

const REPLY_HEAD_BYTES = 5;

function replyBytes(reply: Reply): number {
  switch (reply.kind) {
    case 'sign':
      return REPLY_HEAD_BYTES + 1 + LENGTH_BYTES + total(reply.signatures ?? [], sizeOf);
    case 'add-key':
      return REPLY_HEAD_BYTES + sizeOf(reply.publicKey ?? new Uint8Array(0));
    case 'remove-key':
      return REPLY_HEAD_BYTES;
    case 'quorum': {
      const { aggregate, offenders, verified } = reply.result;
      const lists = 2 * LENGTH_BYTES + 4 * (offenders.length + verified.length);
      return REPLY_HEAD_BYTES + LENGTH_BYTES + (aggregate?.length ?? 0) + lists + 12;
    }
    case 'batch':
    case 'distilled':
      return REPLY_HEAD_BYTES + 4 + LENGTH_BYTES + reply.answers.valid.length;
    case 'shares': {
      const { aggregate, good } = reply.answers;
      return REPLY_HEAD_BYTES + 2 * LENGTH_BYTES + (aggregate?.length ?? 0) + good.length + 4;
    }
    case 'accounts':
      return REPLY_HEAD_BYTES + LENGTH_BYTES + reply.answers.length;
    default:
      return unreachable(reply, 'reply');
  }
}
