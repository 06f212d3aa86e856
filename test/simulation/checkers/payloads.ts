/**
 * I6: a node that voted for a block has it and its payload on disk, whenever the power is cut: a starting node reports log and ledger
 * (`log.restored`), and every such block above its last committed height must be complete there.
 */
import { toHex } from '@slipstream/primitives';
import type { Vote } from '@slipstream/types';
import type { MessageListener } from './sent-messages.ts';
import type { Check, ReportedEvent } from './watched.ts';

export interface RestoredLog {
  /** Newest block in the ledger. */
  readonly tipHeight: number;
  /** With header and all chunks. */
  readonly wholeBlocks: readonly string[];
}

export interface PayloadRecord extends MessageListener {
  report(peer: string, event: ReportedEvent, check: Check): void;
  filesLost(peer: string): void;
}

export function createPayloadRecord(): PayloadRecord {
  const votedFor = new Map<string, Set<string>>();
  const heightOf = new Map<string, number>();

  function onRestored(peer: string, { tipHeight, wholeBlocks }: RestoredLog, check: Check): void {
    const whole = new Set(wholeBlocks);
    for (const blockId of votedFor.get(peer) ?? []) {
      const height = heightOf.get(blockId);
      if (height === undefined || height <= tipHeight) votedFor.get(peer)?.delete(blockId);
      else check(whole.has(blockId), 'I6: what was voted for is durable with its payload', { peer, blockId, height });
    }
  }

  return {
    vote(from: string, { subject }: Vote) {
      if (subject.kind !== 'notarize' && subject.kind !== 'finalize') return;
      votedFor.set(from, (votedFor.get(from) ?? new Set()).add(toHex(subject.blockId)));
    },
    report(peer, { type, fields }, check) {
      if (type === 'block.proposed') heightOf.set(String(fields.blockId), Number(fields.height));
      else if (type === 'log.restored') onRestored(peer, fields as unknown as RestoredLog, check);
    },
    filesLost(peer) {
      votedFor.delete(peer);
    },
  };
}
