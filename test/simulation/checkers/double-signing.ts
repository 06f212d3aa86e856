/**
 * Collects every signature that leaves a node, across all its lives: I1, I2, I5 and the rules of proposals, wherever a power
 * cut or a restart fell between two of them.
 */
import { toHex } from '@slipstream/primitives';
import type { Vote } from '@slipstream/types';
import type { MessageListener, SentProposal } from './sent-messages.ts';
import type { Check, Watched } from './watched.ts';

interface SignedInView {
  notarize?: string;
  nullify?: boolean;
  finalize?: string;
  optimistic?: SentProposal;
  normal?: SentProposal;
}

export function collectSignatures(watched: Watched): MessageListener {
  const signed = new Map<string, SignedInView>();
  const digests = new Map<string, string>();
  const parents = new Map<string, string>();

  function inView(peer: string, view: number): SignedInView {
    const key = `${peer}/${view}`;
    let slots = signed.get(key);
    if (slots === undefined) {
      slots = {};
      signed.set(key, slots);
    }
    return slots;
  }

  function vote(from: string, { subject, signer }: Vote, check: Check): void {
    check(watched.memberOf(from) === signer, 'a node sends its own votes only', { from, signer });
    const { view } = subject;
    const slots = inView(from, view);
    switch (subject.kind) {
      case 'notarize': {
        const id = toHex(subject.blockId);
        check((slots.notarize ?? id) === id, 'I1: one Notarize per view', { from, view });
        slots.notarize = id;
        return;
      }
      case 'nullify':
        check(slots.finalize === undefined, 'I2: no Nullify after Finalize', { from, view });
        slots.nullify = true;
        return;
      case 'finalize': {
        const id = toHex(subject.blockId);
        check(!slots.nullify, 'I2: no Finalize after Nullify', { from, view });
        check((slots.finalize ?? id) === id, 'one Finalize per view', { from, view });
        slots.finalize = id;
        return;
      }
      case 'certify': {
        const key = `${from}/${toHex(subject.blockId)}`;
        const digest = toHex(subject.stateDigest);
        check((digests.get(key) ?? digest) === digest, 'I5: one state digest per block', { from, view });
        digests.set(key, digest);
      }
    }
  }

  function proposal(from: string, sent: SentProposal, check: Check): void {
    const { view, kind, blockId } = sent;
    const slots = inView(from, view);
    if (sent.parentId !== undefined) parents.set(blockId, sent.parentId);
    check((slots[kind]?.blockId ?? blockId) === blockId, `one ${kind} proposal per view`, { from, view });
    slots[kind] = sent;
    const { optimistic, normal } = slots;
    if (!optimistic || !normal || optimistic.blockId === normal.blockId) return;
    const rivals = parents.get(optimistic.blockId) !== parents.get(normal.blockId);
    check(rivals, 'two different blocks of one view have different parents (rule 4)', { from, view });
  }

  return { vote, proposal };
}
