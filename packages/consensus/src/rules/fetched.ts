/** What peers served on request: checked against what was asked, then taken like anything else. */
import { bytesEqual } from '@slipstream/primitives';
import { type Block, type BlockId, blockIdOf, type Certificate } from '@slipstream/types';
import { blockPeer, type Context } from '../context.ts';
import type { Event } from '../events.ts';
import { onCertificate } from './adopt.ts';
import { fitBody } from './proposal-fault.ts';

type Fetched = Extract<Event, { type: 'fetched' }>;

/** An empty answer is honest: the peer does not have it. A wrong one is not. */
export function onFetched(context: Context, { query, from, blocks, certificates }: Fetched): void {
  switch (query.type) {
    case 'block': {
      const block = blocks[0];
      if (!block) return;
      if (!bytesEqual(blockIdOf(block), query.blockId)) {
        blockPeer(context, from, 'bad-sync', 'served another block than the one asked for');
        return;
      }
      takeBlock(context, query.blockId, block);
      return;
    }
    case 'certificates':
      for (const certificate of certificates) {
        const { view } = certificate.subject;
        if (view >= query.from && view <= query.to) onCertificate(context, certificate, from);
      }
      return;
    case 'finalized':
      takeRange(context, blocks, certificates, from);
      return;
  }
}

function takeBlock(context: Context, blockId: BlockId, block: Block): void {
  for (const candidate of context.proposals.candidates(context.view)) {
    if (bytesEqual(candidate.blockId, blockId) && !candidate.block) fitBody(context, candidate, block);
  }
  if (block.height > context.tree.root.block.height) context.tree.add(blockId, block, context.nowMs);
}

/** Blocks in a row from just above the root, the last one vouched for by a certificate. */
function takeRange(
  context: Context,
  blocks: readonly Block[],
  certificates: readonly Certificate[],
  from: Fetched['from'],
): void {
  const { root } = context.tree;
  const above = blocks.filter((block) => block.height > root.block.height);
  const last = above[above.length - 1];
  if (!last) return;
  let parentId = root.id;
  let height = root.block.height as number;
  const ids: BlockId[] = [];
  for (const block of above) {
    if (block.height !== height + 1 || !bytesEqual(block.parentId, parentId)) {
      blockPeer(context, from, 'bad-sync', `served blocks that do not follow from height ${root.block.height}`);
      return;
    }
    parentId = blockIdOf(block);
    height = block.height;
    ids.push(parentId);
  }
  const vouching = certificates.find(
    ({ subject }) =>
      (subject.kind === 'finalize' || subject.kind === 'certify') && bytesEqual(subject.blockId, parentId),
  );
  if (!vouching || vouching.subject.view !== last.view) {
    blockPeer(context, from, 'bad-sync', 'served final blocks without a certificate of the last one');
    return;
  }
  for (const [index, block] of above.entries()) context.tree.add(ids[index] as BlockId, block, context.nowMs);
  for (const certificate of certificates) onCertificate(context, certificate, from);
}
