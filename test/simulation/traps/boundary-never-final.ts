import type { Transport } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { decodeFrame, encodeFrame } from '@slipstream/types';
import type { NodeCode } from '../harness/cluster.ts';
import { startValidator } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';
import { untilEpoch } from '../scenarios/epochs.ts';

const SEALS_EVERY = 2;

export const boundaryNeverFinal: Scenario = {
  name: 'trap-boundary-never-final',
  about:
    'A boundary is notarized, and so many nullify its view that it is never finalized: a filler makes it final, and the next epoch takes no Nullify of the views that it shares with fillers.',
  async play({ size, faultyMax, turns, cluster: create }) {
    let boundaryView = Number.POSITIVE_INFINITY;
    const nullified = new Set<number>();
    /** Without them no quorum finalizes the view. */
    const isDeaf = (member: number) => member <= faultyMax;
    const isOver = () => nullified.size > faultyMax;
    const hides = (view: number) => !isOver() && view >= boundaryView;

    /** Until it has nullified the boundary's view, a deaf member does not learn that the boundary is notarized. */
    function acceptedFrom(bytes: Uint8Array): Uint8Array | undefined {
      const decoded = decodeFrame(bytes);
      if (!decoded.ok) return bytes;
      const { name, value } = decoded.value;
      if (name === 'syncResponse' && hides(boundaryView)) return undefined;
      if (name === 'proposal') return value.block.epoch === 0 && hides(value.block.view - 1) ? undefined : bytes;
      if (name !== 'consensus') return bytes;
      const isAccepted = ({ subject }: { readonly subject: { readonly epoch: number; readonly view: number } }) =>
        subject.epoch > 0 || !hides(subject.view);
      const [votes, certificates] = [value.votes.filter(isAccepted), value.certificates.filter(isAccepted)];
      return encodeFrame('consensus', { ...value, votes, certificates });
    }

    const code: NodeCode = (world, setting) => {
      const { transport } = world;
      const wire: Transport = {
        ...transport,
        self: transport.self,
        onFrame(handler) {
          transport.onFrame((sender, lane, bytes) => {
            const frame = isDeaf(setting.self ?? 0) ? acceptedFrom(bytes) : bytes;
            if (frame !== undefined) handler(sender, lane, frame);
          });
        },
      };
      return startValidator({ ...world, transport: wire }, setting);
    };
    const cluster = create({ application: { sealsEvery: SEALS_EVERY }, code });
    const { network, peer, members } = cluster;
    const fillers = new Set<number>();
    const finalized = new Set<number>();
    network.tap(({ from, frame }) => {
      const decoded = decodeFrame(frame);
      if (!decoded.ok) return;
      const { name, value } = decoded.value;
      if (name === 'proposal' && value.block.epoch === 0 && value.block.next !== undefined) {
        boundaryView = Math.min(boundaryView, value.block.view);
        if (value.block.view > boundaryView) fillers.add(value.block.view);
      }
      if (name !== 'consensus') return;
      for (const { subject, signer } of value.votes) {
        const isOfBoundary = subject.epoch === 0 && subject.view === boundaryView;
        if (isOfBoundary && subject.kind === 'nullify' && from === peer(signer)) nullified.add(signer);
        if (isOfBoundary && subject.kind === 'finalize' && from === peer(signer)) finalized.add(signer);
      }
    });
    cluster.start();
    await cluster.until('they have nullified the boundary’s view', isOver, 120_000);
    await untilEpoch(cluster, 2, 180_000, members);
    await cluster.progress(turns(1), 60_000);
    assert(3 * finalized.size <= 2 * size, `no quorum finalized the boundary’s view (${[...finalized]})`);
    assert(fillers.size > 0, 'a filler was proposed');
  },
};
