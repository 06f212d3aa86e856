/** Honest nodes send valid certificates; one notarized block per view; no view nullified and finalized. */
import { toHex } from '@slipstream/primitives';
import type { Simulation } from '@slipstream/simulator';
import { type Certificate, subjectKey, subjectMessage } from '@slipstream/types';
import type { MessageListener } from './sent-messages.ts';
import { type Check, type Watched, weighsQuorum } from './watched.ts';

interface CertifiedView {
  block?: string;
  nullified?: boolean;
  finalized?: boolean;
}

export function checkCertificates(simulation: Simulation, watched: Watched): MessageListener {
  /** By epoch and view. */
  const views = new Map<string, CertifiedView>();
  const seen = new Set<string>();

  simulation.addChecker('certificates', (event, { check }) => {
    if (event.type === 'note') check(event.name !== 'bad-certificate', 'honest nodes send valid certificates', event);
  });

  /** Asynchronous; an invalid certificate ends the run by a note. */
  function verify(from: string, { subject, signers, aggregate }: Certificate): void {
    const message = subjectMessage(watched.genesisHash, subject);
    const request = { epoch: subject.epoch, message, signers, aggregate };
    void watched.scheme.verifier.checkCertificate(request, 'consensus').then((valid) => {
      if (valid) return;
      simulation.emit({ type: 'note', node: from, name: 'bad-certificate', text: subjectKey(subject) });
    });
  }

  function certificate(from: string, found: Certificate, check: Check): void {
    const { subject, signers, aggregate } = found;
    const key = `${subjectKey(subject)} ${signers.join()} ${toHex(aggregate.subarray(0, 32))}`;
    if (seen.has(key)) return;
    seen.add(key);
    const { kind } = subject;
    const view = `${subject.epoch}/${subject.view}`;
    check(weighsQuorum(watched.committeeOf(subject.epoch), signers), 'a certificate has a quorum of signers', {
      from,
      view,
      kind,
    });
    verify(from, found);
    const entry = views.get(view) ?? {};
    views.set(view, entry);
    if (subject.kind === 'nullify') {
      entry.nullified = true;
    } else {
      const block = toHex(subject.blockId);
      check((entry.block ?? block) === block, 'at most one block is notarized a view', { from, view });
      entry.block = block;
      if (kind === 'finalize') entry.finalized = true;
    }
    check(!(entry.nullified && entry.finalized), 'no view is both nullified and finalized', { from, view });
  }

  return { certificate };
}
