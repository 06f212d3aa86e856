/** Every signature of a node, over all restarts: I1, I2, I5 and the rules of proposals. */
import { toHex } from '@slipstream/primitives';
import type { Vote } from '@slipstream/types';
import type { MessageListener, SentProposal } from './sent-messages.ts';
import type { Check, Watched } from './watched.ts';

export interface SignatureCollection extends MessageListener {
  /** Messages that no honest node received are void. */
  filesLost(peer: string): void;
  /** Rule 5a: its Nullify may contradict an earlier Finalize. Its Notarize votes stay binding. */
  recovered(peer: string): void;
}

interface SignedInView {
  notarize?: string;
  nullify?: boolean;
  finalize?: string;
  /** Block and state digest. */
  certify?: string;
  optimistic?: SentProposal;
  normal?: SentProposal;
}

const STATEMENTS = ['notarize', 'nullify', 'finalize', 'optimistic', 'normal'] as const;
type Statement = (typeof STATEMENTS)[number];

export function collectSignatures(watched: Watched): SignatureCollection {
  const signed = new Map<string, SignedInView>();
  const parents = new Map<string, string>();
  const carriers = new Map<string, Uint8Array[]>();
  const delivered = new WeakSet<Uint8Array>();
  let current: Uint8Array = new Uint8Array(0);

  function inView(peer: string, view: string): SignedInView {
    const key = `${peer}/${view}`;
    let slots = signed.get(key);
    if (slots === undefined) {
      slots = {};
      signed.set(key, slots);
    }
    return slots;
  }

  function carried(peer: string, view: string, statement: Statement): void {
    const key = `${peer}/${view}/${statement}`;
    const frames = carriers.get(key);
    if (frames === undefined) carriers.set(key, [current]);
    else if (frames.at(-1) !== current) frames.push(current);
  }

  function filesLost(peer: string): void {
    for (const [key, slots] of signed) {
      if (!key.startsWith(`${peer}/`)) continue;
      for (const statement of STATEMENTS) {
        const wasDelivered = carriers.get(`${key}/${statement}`)?.some((frame) => delivered.has(frame)) === true;
        if (!wasDelivered) delete slots[statement];
      }
    }
  }

  function vote(from: string, { subject, signer }: Vote, check: Check): void {
    const own = watched.committeeOf(subject.epoch).members[signer]?.peerKey === from;
    check(own, 'a node sends its own votes only', { from, signer });
    const view = `${subject.epoch}/${subject.view}`;
    const slots = inView(from, view);
    if (subject.kind !== 'certify') carried(from, view, subject.kind);
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
        const state = `${toHex(subject.blockId)}/${toHex(subject.stateDigest)}`;
        check((slots.certify ?? state) === state, 'I5: one Certify per view', { from, view });
        slots.certify = state;
      }
    }
  }

  function proposal(from: string, sent: SentProposal, check: Check): void {
    const { kind, blockId } = sent;
    const view = `${sent.epoch}/${sent.view}`;
    const slots = inView(from, view);
    carried(from, view, kind);
    if (sent.parentId !== undefined) parents.set(blockId, sent.parentId);
    check((slots[kind]?.blockId ?? blockId) === blockId, `one ${kind} proposal per view`, { from, view });
    slots[kind] = sent;
    const { optimistic, normal } = slots;
    if (!optimistic || !normal || optimistic.blockId === normal.blockId) return;
    const rivals = parents.get(optimistic.blockId) !== parents.get(normal.blockId);
    check(rivals, 'two different blocks of one view have different parents (rule 4)', { from, view });
  }

  return {
    frame(frame) {
      current = frame;
    },
    delivered: (frame) => void delivered.add(frame),
    vote,
    proposal,
    filesLost,
    recovered(peer) {
      for (const [key, slots] of signed) if (key.startsWith(`${peer}/`)) delete slots.finalize;
    },
  };
}
