import { certifiedRowProofCodec } from '@slipstream/distilled';
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import {
  BATCH_TRANSACTIONS_MAX,
  decodeBatch,
  type ProofJson,
  proofToJson,
  type RowProofJson,
  receiptToJson,
  type TransactionJson,
  type TransactionRequestJson,
  type TransactionView,
  transactionFromJson,
  transactionToJson,
  WAIT_MS_DEFAULT,
  WAIT_STAGES,
  type WaitStage,
} from '@slipstream/schema';
import {
  idFromHex,
  inclusionProofCodec,
  requireAccount,
  type TransactionId,
  transactionCodec,
} from '@slipstream/types';
import { addressGroup } from '../addresses.ts';
import { type Answer, type ApiRequest, bytes, type Handler, json, refuse } from '../answer.ts';
import type { NodeBackend, SubmitOutcome, TransactionRecord } from '../backend.ts';
import type { RunningApplications } from '../running-applications.ts';
import { problemOf, type SubmitRefusal } from '../submit-problem.ts';
import type { Waits } from '../waits.ts';
import { rowProofRecordToJson, rowReceiptToJson } from './batches.ts';
import { handoversBetween } from './handovers.ts';
import { missing } from './missing.ts';

interface TransactionHandlers {
  readonly submitTransaction: Handler;
  readonly submitBatch: Handler;
  readonly transaction: Handler;
  readonly transactionProof: Handler;
  readonly faucet: Handler;
}

const ENDS: ReadonlySet<string> = new Set(['final', 'failed', 'expired', 'skipped']);

interface TransactionComponents {
  readonly backend: NodeBackend;
  readonly waits: Waits;
  readonly applications: RunningApplications;
}

export function createTransactionHandlers({
  backend,
  waits,
  applications,
}: TransactionComponents): TransactionHandlers {
  async function submitTransaction(request: ApiRequest): Promise<Answer> {
    const named = await withBytes(request.body);
    if (!named.ok) return refuse('malformed-body', { faults: [named.error] });
    const serialized = bytesOf(named.value);
    if (typeof serialized === 'string') return refuseJson(serialized);
    if (serialized.length === 0)
      return refuse('malformed-transaction', { detail: 'The body is empty: no transaction came.' });
    const outcome = await backend.submit(serialized, addressGroup(request.address));
    const isJson = !(request.body instanceof Uint8Array);
    return isJson && outcome.type === 'malformed' ? refuseJson(outcome.detail) : answerFor(outcome, request);
  }

  async function withBytes(body: unknown) {
    if (body instanceof Uint8Array) return ok(body);
    return (await applications.now()).withBytes(body as TransactionRequestJson);
  }

  async function submitBatch({ body, address }: ApiRequest): Promise<Answer> {
    const transactions = batchOf(body);
    if (!transactions.ok) return refuse('malformed-body', { faults: [{ path: '', message: transactions.error }] });
    const outcomes = await backend.submitMany(transactions.value, addressGroup(address));
    const results = outcomes.map((outcome) =>
      outcome.type === 'accepted'
        ? { ok: true, id: to0x(outcome.id), status: outcome.status }
        : { ok: false, problem: problemOf(outcome) },
    );
    return json({ results });
  }

  async function faucet(request: ApiRequest): Promise<Answer> {
    if (backend.faucet === undefined) return refuse('faucet-off');
    const { account, amount } = request.body as { readonly account: string; readonly amount?: string };
    const wanted = amount === undefined ? undefined : BigInt(amount);
    return answerFor(await backend.faucet(requireAccount(account), wanted), request);
  }

  async function answerFor(outcome: SubmitOutcome, request: ApiRequest): Promise<Answer> {
    if (outcome.type !== 'accepted') return { type: 'problem', problem: problemOf(outcome satisfies SubmitRefusal) };
    const stages = stagesOf(request);
    if (stages.length > 0) return await lookUp(outcome.id, request);
    const { id, status, expiryMs } = outcome;
    return json({ id: to0x(id), status, ...(expiryMs !== undefined && { expiryMs }) } satisfies TransactionView, 202);
  }

  function transaction(request: ApiRequest): Promise<Answer> {
    return lookUp(idFromHex<TransactionId>(request.params.id ?? ''), request);
  }

  async function lookUp(id: TransactionId, request: ApiRequest): Promise<Answer> {
    const stages = stagesOf(request);
    const timeoutMs = Number(request.query.timeoutMs ?? WAIT_MS_DEFAULT);
    const found = await waits.during(stages, timeoutMs, request.signal, (signal) =>
      signal === undefined ? backend.transaction(id) : backend.waitFor(id, stages, signal),
    );
    if (found.type !== 'found') {
      // No advice to sign again: with its block pruned, the transaction may have paid.
      const detail = `This node does not know transaction ${to0x(id)}: it was never accepted here, it expired, or its block is pruned. The same bytes may be sent again: they pay once.`;
      return missing(found, 'transaction-unknown', detail);
    }
    return json(await viewOf(found.value), reached(found.value, stages) ? 200 : 202);
  }

  async function viewOf(record: TransactionRecord): Promise<TransactionView> {
    const { id, status, expiryMs, height, reason, transaction: sent, receipt, row } = record;
    const proof = receipt === undefined ? undefined : await backend.proof(id);
    const { withNames, eventsOf } = await applications.at(calls(record) ? height : undefined);
    return {
      id: to0x(id),
      status,
      ...(expiryMs !== undefined && { expiryMs }),
      ...(height !== undefined && { height }),
      ...(reason !== undefined && { reason }),
      ...(sent !== undefined && { transaction: withNames(transactionToJson(sent)) }),
      ...(receipt !== undefined && { receipt: receiptToJson(receipt), ...eventsOf(receipt) }),
      ...(proof?.type === 'found' && { proof: proofToJson(proof.value) }),
      ...(row !== undefined && { row: rowReceiptToJson(row) }),
    };
  }

  async function transactionProof({ params, query, headers }: ApiRequest): Promise<Answer> {
    const wantsBytes = String(headers.accept ?? '').includes('application/octet-stream');
    const withEpochs = async <J extends ProofJson | RowProofJson>(proof: J, epoch: number): Promise<Answer> => {
      if (query.epochsFrom === undefined) return json(proof);
      return json({ ...proof, epochs: await handoversBetween(backend, Number(query.epochsFrom), epoch) });
    };
    const found = await backend.proof(idFromHex<TransactionId>(params.id ?? ''));
    switch (found.type) {
      case 'found':
        if (wantsBytes) return bytes('application/octet-stream', inclusionProofCodec.encode(found.value));
        return withEpochs(proofToJson(found.value), found.value.certificate.subject.epoch);
      case 'row': {
        const { proof } = found.value;
        if (wantsBytes) return bytes('application/octet-stream', certifiedRowProofCodec.encode(proof));
        return withEpochs(rowProofRecordToJson(found.value), proof.certificate.subject.epoch);
      }
      case 'unknown':
      case 'pruned':
        return missing(found, 'transaction-unknown');
      case 'not-ready':
        return refuse('proof-not-ready');
      default:
        return found satisfies never;
    }
  }

  return { submitTransaction, submitBatch, transaction, transactionProof, faucet };
}

/** Or it is not known whether it does. */
function calls({ transaction }: TransactionRecord): boolean {
  return transaction?.body.actions.some(({ kind }) => kind === 'call') ?? true;
}

/** Bytes or JSON. */
function batchOf(body: unknown): Result<readonly Uint8Array[], string> {
  if (!(body instanceof Uint8Array)) {
    const { transactions } = body as { readonly transactions: readonly string[] };
    return ok(transactions.map((text) => Buffer.from(text.slice('0x'.length), 'hex')));
  }
  const decoded = decodeBatch(body, BATCH_TRANSACTIONS_MAX);
  if (decoded.ok && decoded.value.length === 0) return fail('holds no transaction');
  return decoded;
}

/** JSON of the schema that is no transaction: fields exclude each other. */
function refuseJson(detail: string): Answer {
  return refuse('invalid-transaction', { reason: 'malformed', detail });
}

/** A text is the error. */
function bytesOf(body: Uint8Array | TransactionJson): Uint8Array | string {
  if (body instanceof Uint8Array) return body;
  const read = transactionFromJson(body);
  if (!read.ok) return read.error;
  try {
    return transactionCodec.encode(read.value);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function stagesOf({ query }: ApiRequest): readonly WaitStage[] {
  return typeof query.wait === 'string' ? (query.wait.split(',') as WaitStage[]) : [];
}

/** Or the transaction has ended. */
function reached({ status }: TransactionRecord, stages: readonly WaitStage[]): boolean {
  if (ENDS.has(status)) return true;
  const at = WAIT_STAGES.indexOf(status as WaitStage);
  return stages.every((stage) => WAIT_STAGES.indexOf(stage) <= at);
}
