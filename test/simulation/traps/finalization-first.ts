import { assert } from '@slipstream/primitives';
import { collectVotes } from '../attackers/certificates.ts';
import { frameOf } from '../attackers/corrupted.ts';
import { intermediary } from '../attackers/intermediary.ts';
import type { Scenario } from '../scenario.ts';

/** Of a certificate and its signatures. */
const SENT_WITHIN_MS = 200;

/**
 * One of four receives nothing of the two other honest members, and from the attacker only a Finalization with its own vote. Then the
 * attacker stops: the three left are just a quorum, so the third must be in the next view.
 */
export const finalizationFirst: Scenario = {
  name: 'trap-finalization-first',
  about:
    'Two finalize a view; the third receives its Finalization alone, then the attacker stops: it enters the next (rule 1).',
  onlySizes: [4],
  async play({ random, cluster, size }) {
    const attacker = random.below(size);
    const others = Array.from({ length: size }, (_, member) => member).filter((member) => member !== attacker);
    const third = random.pick(others);
    let silent = false;
    let finalizedView: number | undefined;
    const code = intermediary((liar) => {
      const finalizes = collectVotes(liar, 'finalize');
      return {
        passes: (to) => !silent && to !== third,
        onFrame(frame) {
          if (silent || frame.name !== 'consensus') return;
          for (const vote of frame.value.votes) {
            void finalizes.add(vote).then((certificate) => {
              const to = liar.setting.chain.committee.members[third]?.peerKey;
              if (!certificate || silent || to === undefined) return;
              silent = true;
              finalizedView = certificate.subject.view;
              liar.send(to, frameOf('consensus', { certificates: [certificate], votes: [], confirmations: [] }));
            });
          }
        },
      };
    });
    const made = cluster({ byzantine: new Map([[attacker, code]]), consensus: { historyQueryMs: 100 } });
    const { network, peer, honest, node, until, mark } = made;
    for (const other of honest) if (other !== third) network.dropFrames(peer(other), peer(third));
    made.start();
    await until('the third is given a finalization alone', () => finalizedView !== undefined, 60_000);
    const viewOfThird = () => Number(node(third).running?.consensus?.status().view ?? 0);
    await until('it enters the next view', () => viewOfThird() > (finalizedView as number), SENT_WITHIN_MS);
    mark(`the third is in view ${viewOfThird()}; the links to it are healed, the attacker sends nothing more`);
    network.healAll();
    await made.progress(10, 60_000, honest);
    assert(silent, 'the attacker says nothing');
  },
};
