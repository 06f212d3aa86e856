import {
  BLS_AGGREGATE_BYTES,
  type Block,
  blockIdOf,
  type Certificate,
  type Frame,
  GENESIS_EPOCH,
  height,
  payloadRootOf,
  view,
} from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { frameOf, type Liar } from '../attackers/corrupted.ts';
import { type Intermediary, intermediary } from '../attackers/intermediary.ts';

const RANGE_BLOCKS = 8;
/** Reported above the liar's height; a node that believes it requests a range. */
const REPORTED_AHEAD = 1_000;
const REMEMBERED_MAX = 256;

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > REMEMBERED_MAX && oldest !== undefined) map.delete(oldest);
}

/** Consecutive, in the form of final blocks. */
function rangeOn(parent: Block): readonly Block[] {
  const blocks = [parent];
  for (let at = parent; blocks.length <= RANGE_BLOCKS; at = blocks[blocks.length - 1] as Block) {
    blocks.push({
      ...at,
      view: view(at.view + 1),
      height: height(at.height + 1),
      parentId: blockIdOf(at),
      parentView: at.view,
      timestampMs: at.timestampMs + 1,
      payload: [],
      payloadRoot: payloadRootOf([]),
      next: undefined,
    });
  }
  return blocks.slice(1);
}

function falselyFinal(block: Block, { random, setting }: Liar): Certificate {
  return {
    subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view: block.view, blockId: blockIdOf(block) },
    signers: setting.chain.committee.members.map(({ index }) => index),
    aggregate: random.bytes(BLS_AGGREGATE_BYTES),
  };
}

function serveMadeUp(liar: Liar, lied: () => void): Intermediary {
  const { committee } = liar.setting.chain;
  const proposed = new Map<number, Block>();
  const askedFrom = new Map<number, number>();

  function madeUp(frame: Extract<Frame, { name: 'syncResponse' }>): Frame | undefined {
    const parent = proposed.get((askedFrom.get(frame.value.requestId) ?? 0) - 1);
    if (parent === undefined) return undefined;
    const blocks = rangeOn(parent);
    const certificates = [falselyFinal(blocks[blocks.length - 1] as Block, liar)];
    return frameOf('syncResponse', { ...frame.value, blocks, certificates });
  }

  return {
    passes(to, frame) {
      const peer = committee.members[to]?.peerKey;
      if (peer === undefined) return true;
      if (frame.name === 'heartbeat') {
        const finalizedHeight = height(frame.value.finalizedHeight + REPORTED_AHEAD);
        liar.send(peer, frameOf('heartbeat', { ...frame.value, finalizedHeight }));
        return false;
      }
      const lie = frame.name === 'syncResponse' ? madeUp(frame) : undefined;
      if (lie === undefined) return true;
      liar.send(peer, lie);
      lied();
      return false;
    },
    onFrame(frame) {
      if (frame.name === 'proposal') remember(proposed, frame.value.block.height, frame.value.block);
      if (frame.name === 'syncRequest' && frame.value.query === 'finalized') {
        remember(askedFrom, frame.value.requestId, frame.value.from);
      }
    },
  };
}

export const madeUpRanges = attackScenario({
  name: 'made-up-ranges',
  about:
    'Liars report great heights, and serve ranges of false blocks that are not final: none is accepted, all block them.',
  blockedFor: ['invalid-certificate', 'bad-sync'],
  onOccasion: true,
  code: (_liar, _stage, lied) => intermediary((liar) => serveMadeUp(liar, lied)),
});
