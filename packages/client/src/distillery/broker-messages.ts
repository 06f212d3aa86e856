/**
 * What a client does at each message of its broker, once it is logged in.
 *
 *   header --Z12--> share          refused, dropped --> again, elsewhere, or the end of the row
 *                                  outcomes --> the end of each row (outcomes.ts)
 */
import { batchIdOf } from '@slipstream/distilled';
import type { HeaderWithColumns, HeaderWithPaths, Outcomes, RowReason, Share } from '@slipstream/distilled/stream';
import { unreachable } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import type { ClientError } from '../errors.ts';
import type { LiveMessage } from './broker-session.ts';
import { type CheckedHeader, checkHeaderWithColumns, checkHeaderWithPaths } from './header-check.ts';
import type { BrokerFault, TransferResult } from './options.ts';
import { type OutcomeJudge, type OutcomeListeners, refused } from './outcomes.ts';
import type { PendingRow, PendingRows } from './pending-rows.ts';
import { refusalAction, retryDelayMs } from './refusals.ts';
import type { Senders } from './senders.ts';
import type { ShareSigner } from './share-signer.ts';
import type { ShownBatches } from './shown-batches.ts';

interface MessageComponents {
  readonly senders: Senders;
  readonly rows: PendingRows;
  readonly genesisHash: GenesisHash;
  readonly signer: ShareSigner;
  readonly judge: OutcomeJudge;
  readonly shown: ShownBatches;
  readonly nowMs: () => number;
  readonly settle: (row: PendingRow, end: TransferResult | ClientError) => void;
  /** Of those that may be signed for. Default: all. A bench withholds some. */
  readonly chooseSigners?: (signers: readonly number[]) => readonly number[];
}

/** The session that a message came from. */
export interface MessageSource {
  sendShare(share: Share): void;
  /** Ends the session: the next broker, with the rows that it had. */
  fail(code: BrokerFault, reason: string): void;
  /** The same, unless there is no other broker, or it left one just before. */
  leave(reason: string): void;
  withhold(reason: string): void;
  /** Of a rows message; undefined for one that was not sent, or long ago. */
  sentRows(number: number): readonly PendingRow[] | undefined;
}

type HandledMessage = Exclude<LiveMessage, { readonly name: 'terms' }>;
export type HandleMessage = (message: HandledMessage, source: MessageSource) => void;

/** Headers whose share is being signed: a share takes a slow page 200 ms. */
const SIGNING_MAX = 8;
/** A row that stands in more batches is shown without effect. */
const SEEN_MAX = 16;

export function createMessageHandler(components: MessageComponents): HandleMessage {
  const { senders, rows, genesisHash, signer, judge, shown, nowMs, settle } = components;
  let signing = 0;

  /** Permanent refusals of a row that another broker may have prove nothing. */
  function giveBack(row: PendingRow, reason: RowReason, retryAfterMs: number, source: MessageSource): void {
    const action = refusalAction(reason);
    row.lastReason = reason;
    if (action === 'refused' && !row.mayRun) return settle(row, refused(row, reason));
    rows.giveBack(row, nowMs() + retryDelayMs(retryAfterMs, reason));
    if (reason === 'sequence-used') void judge.lookAround(row, settle);
    if (action === 'elsewhere') source.leave(reason);
  }

  function onHeader(value: HeaderWithPaths | HeaderWithColumns, source: MessageSource): void {
    const accounts = { isOwn: (sender: number) => senders.get(sender) !== undefined, find: rows.find };
    const checked = 'rows' in value ? checkHeaderWithColumns(value, accounts) : checkHeaderWithPaths(value, accounts);
    if (!checked.ok) return source.fail('false-header', checked.error);
    const { header, places } = checked.value;
    const batchId = batchIdOf(genesisHash, header);
    if (!shown.add(batchId, places)) return source.withhold('the same header again');
    for (const { row, position } of places) {
      if (row === undefined) continue;
      row.mayRun = true;
      row.seen.push({ batchId, position, isShared: false });
      if (row.seen.length > SEEN_MAX) row.seen.shift();
    }
    void share(batchId, checked.value, nowMs() + value.shareWithinMs, source);
  }

  async function share(batchId: Uint8Array, checked: CheckedHeader, untilMs: number, source: MessageSource) {
    const { reason } = checked;
    if (reason !== undefined) source.withhold(reason);
    const signers = components.chooseSigners?.(checked.signers) ?? checked.signers;
    if (signers.length === 0) return;
    if (signing >= SIGNING_MAX) return source.withhold('too many headers at once');
    signing++;
    try {
      const signature = await signer.sign(batchId, senders.secretOf(signers));
      if (nowMs() > untilMs) source.withhold('signing took too long');
      else {
        source.sendShare({ batchId, without: withoutOf(checked, signers), signature });
        markShared(checked, batchId, signers);
      }
    } catch (error) {
      source.withhold(error instanceof Error ? error.message : String(error));
    } finally {
      signing--;
    }
  }

  function onOutcomes(reported: Outcomes, source: MessageSource): void {
    const places = shown.take(reported.batchId);
    // After a reconnection it may be one that was not shown: its rows were signed alone.
    if (places === undefined) return source.withhold('outcomes of a batch that was not shown');
    if (places.length !== reported.outcomes.length) {
      return source.fail('false-outcome', `${reported.outcomes.length} outcomes of ${places.length} rows`);
    }
    const listeners: OutcomeListeners = {
      settle,
      sendAgain: (row) => rows.giveBack(row, nowMs()),
      falseOutcome: (reason) => source.fail('false-outcome', reason),
    };
    judge.judge(reported, places, listeners);
  }

  return (message, source) => {
    switch (message.name) {
      case 'refused': {
        const { number, retryAfterMs, rows: places } = message.value;
        const sent = source.sentRows(number);
        for (const { position, reason } of places) {
          const row = sent?.[position];
          if (row === undefined) return source.fail('malformed', `a refusal of row ${position} of message ${number}`);
          if (rows.isSent(row)) giveBack(row, reason, retryAfterMs, source);
        }
        return;
      }
      case 'dropped':
        for (const { sender, sequence, reason } of message.value.rows) {
          const row = rows.find(sender, sequence);
          if (row === undefined || !rows.isSent(row) || row.isProving) continue;
          row.mayRun = true;
          giveBack(row, reason, message.value.retryAfterMs, source);
        }
        return;
      case 'headerWithPaths':
      case 'headerWithColumns':
        return onHeader(message.value, source);
      case 'outcomes':
        return onOutcomes(message.value, source);
      default:
        return unreachable(message, 'message of a broker');
    }
  };
}

function markShared({ places }: CheckedHeader, batchId: Uint8Array, signers: readonly number[]): void {
  const signed = new Set(signers);
  for (const { row } of places) {
    if (row === undefined || !signed.has(row.row.sender)) continue;
    for (const seen of row.seen) if (seen.batchId === batchId) seen.isShared = true;
  }
}

/** Own senders of the batch that the share does not stand for; ascending. */
function withoutOf(checked: CheckedHeader, chosen: readonly number[]): Uint32Array {
  if (chosen.length === checked.signers.length) return Uint32Array.from(checked.without);
  const standing = new Set(chosen);
  const others = checked.signers.filter((signer) => !standing.has(signer));
  return Uint32Array.from([...checked.without, ...others]).sort();
}
