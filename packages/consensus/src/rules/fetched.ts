/** Answers of peers, checked against the query. */
import { bytesEqual } from '@slipstream/primitives';
import { type Block, type BlockId, blockIdOf } from '@slipstream/types';
import { blockPeer, type Context, isOfEpoch } from '../context.ts';
import type { Event } from '../events.ts';
import { onCertificate } from './adopt.ts';
import { fitBody } from './proposal-fault.ts';
import { takeRange } from './served-ranges.ts';

type Fetched = Extract<Event, { type: 'fetched' }>;

/** An empty answer is honest; a wrong one blocks the peer. */
export function onFetched(context: Context, { query, from, blocks, certificates }: Fetched): void {
  if (context.closed !== undefined && query.type !== 'certificates') return;
  switch (query.type) {
    case 'block': {
      const block = blocks[0];
      if (!block) return;
      if (!bytesEqual(blockIdOf(block), query.blockId)) {
        blockPeer(context, from, 'bad-sync', 'served another block than the one asked for');
        return;
      }
      if (isOfEpoch(context, block)) takeBlock(context, query.blockId, block);
      return;
    }
    case 'certificates':
      for (const certificate of certificates) {
        const { view } = certificate.subject;
        if (view >= query.from && view <= query.to) onCertificate(context, certificate, from);
      }
      return;
    case 'finalized':
      // What any peer may claim costs few requests; a later heartbeat claims it again.
      if (blocks.length === 0) context.laterHeight = 0;
      takeRange(context, blocks, certificates, from);
      return;
  }
}

/** A confirmation can name any id, so the body may be of any view. One beyond the lookahead would never be pruned. */
function takeBlock(context: Context, blockId: BlockId, block: Block): void {
  for (const candidate of context.proposals.candidates(context.view)) {
    if (bytesEqual(candidate.blockId, blockId) && !candidate.block) fitBody(context, candidate, block);
  }
  const isFinal = block.height <= context.tree.root.block.height;
  const isBeyond = block.view > context.view + context.setting.options.lookaheadViews;
  if (!isFinal && !isBeyond) context.tree.add(blockId, block, context.nowMs);
}
