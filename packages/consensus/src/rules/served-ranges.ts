/**
 * Ranges of final blocks from a peer: a block enters the tree only after the certificate of the range's last block is verified.
 *
 *   range --linked from the root?--> certificate known? --yes-----------------> into the tree
 *              \--no--> block the peer        \--no--> held aside --verified--------^
 *                                                             \--bad--> block the peer
 *
 * INVARIANT: at most one range of each peer (SYNC_RESPONSE_BYTES_MAX) is held aside, while its certificate is checked. Another one is
 * dropped and requested again later.
 */
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type Certificate,
  hasQuorumOfSigners,
  type StateCertificate,
  subjectMessage,
} from '@slipstream/types';
import type { BlockEntry } from '../block-tree.ts';
import { blockPeer, type Context, emit, isOfEpoch } from '../context.ts';
import type { Sender, ServedRange } from '../verifications.ts';
import { adoptIfNew, onCertificate } from './adopt.ts';
import { deliverUpTo } from './finalize.ts';
import { follows } from './proposal-fault.ts';

type FinalCertificate = ServedRange['certifiedBy'];

export function takeRange(
  context: Context,
  served: readonly Block[],
  certificates: readonly Certificate[],
  from: PeerKey,
): void {
  const { root } = context.tree;
  const blocks = served.filter((block) => block.height > root.block.height);
  const last = blocks[blocks.length - 1];
  if (!last || !blocks.every((block) => isOfEpoch(context, block))) return;
  const ids = idsInARow(root, blocks);
  const lastId = ids?.[ids.length - 1];
  if (!ids || !lastId) {
    blockPeer(context, from, 'bad-sync', `served blocks that do not follow from height ${root.block.height}`);
    return;
  }
  const certifiedBy = certificates.find(
    (certificate) => isOfEpoch(context, certificate.subject) && makesFinal(certificate, lastId),
  );
  if (!certifiedBy || certifiedBy.subject.view !== last.view) {
    blockPeer(context, from, 'bad-sync', 'served final blocks without a certificate of the last one');
    return;
  }
  const range = upToState({ blocks, ids, certifiedBy: certifiedBy as FinalCertificate, others: certificates });
  const known = knownCertificate(context, range);
  if (known) addRange(context, { ...range, certifiedBy: known }, from);
  else holdAside(context, range, from);
}

/** Undefined unless each block follows the one before, in a later view. */
function idsInARow(root: BlockEntry, blocks: readonly Block[]): readonly BlockId[] | undefined {
  const ids: BlockId[] = [];
  let parent: Pick<BlockEntry, 'id' | 'block'> = root;
  for (const block of blocks) {
    const isNext = follows(block, parent.block) && block.view > block.parentView;
    if (!isNext || !bytesEqual(block.parentId, parent.id)) return undefined;
    parent = { id: blockIdOf(block), block };
    ids.push(parent.id);
  }
  return ids;
}

/**
 * Cuts the range at its highest state certificate, if any: a node that is behind cannot commit without one, and ignores one beside the
 * range because it knows higher ones.
 */
function upToState(range: ServedRange): ServedRange {
  const { blocks, ids, others } = range;
  const stateOf = (id: BlockId | undefined) =>
    others.find(({ subject }) => id && subject.kind === 'certify' && bytesEqual(subject.blockId, id));
  const at = ids.findLastIndex((id) => stateOf(id) !== undefined);
  const certifiedBy = stateOf(ids[at]) as StateCertificate | undefined;
  if (certifiedBy === undefined || certifiedBy.subject.view !== blocks[at]?.view) return range;
  return { ...range, blocks: blocks.slice(0, at + 1), ids: ids.slice(0, at + 1), certifiedBy };
}

function makesFinal({ subject }: Certificate, blockId: BlockId): boolean {
  return (subject.kind === 'finalize' || subject.kind === 'certify') && bytesEqual(subject.blockId, blockId);
}

/** A verified certificate that proves the same. */
function knownCertificate(
  { certificates, lastFinal }: Context,
  { certifiedBy }: ServedRange,
): FinalCertificate | undefined {
  const { view, blockId } = certifiedBy.subject;
  const { finalization, state } = certificates.at(view);
  const known = certifiedBy.subject.kind === 'certify' ? [state] : [lastFinal.certificate, finalization, state];
  return known.find((each) => each && makesFinal(each, blockId));
}

function holdAside(context: Context, range: ServedRange, from: PeerKey): void {
  const { certifiedBy } = range;
  if (!hasQuorumOfSigners(certifiedBy, context.setting.committee)) {
    blockPeer(
      context,
      from,
      'invalid-certificate',
      'served final blocks with a certificate without a quorum of signers',
    );
    return;
  }
  if (context.verifications.holdsRange(from)) return;
  const token = context.verifications.begin(from, { type: 'range', range });
  if (token === undefined) return;
  const { subject, signers, aggregate } = certifiedBy;
  const message = subjectMessage(context.setting.genesisHash, subject);
  const request = { epoch: subject.epoch, message, signers, aggregate };
  emit(context, { type: 'verify', token, request: { type: 'certificate', request } });
}

export function onRangeVerified(context: Context, range: ServedRange, sender: Sender, valid: boolean): void {
  if (sender === 'self') return;
  if (valid) addRange(context, range, sender);
  else blockPeer(context, sender, 'invalid-certificate', 'served final blocks with a bad certificate of the last one');
}

/** Delivers at once, because all its blocks are final. Other blocks may have become final meanwhile. */
function addRange(context: Context, { blocks, ids, certifiedBy, others }: ServedRange, from: PeerKey): void {
  const { tree, nowMs } = context;
  const rootHeight = tree.root.block.height;
  for (const [index, block] of blocks.entries()) {
    if (block.height > rootHeight) tree.add(ids[index] as BlockId, block, nowMs);
  }
  adoptIfNew(context, certifiedBy);
  if ((blocks.at(-1)?.height ?? 0) > rootHeight) deliverUpTo(context, certifiedBy);
  for (const certificate of others) onCertificate(context, certificate, from);
}
