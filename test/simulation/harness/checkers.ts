/**
 * Checkers of the protocol, written apart from the production predicates: they decode what leaves each node and what each node
 * reports, keep their own books, and end the run at the first event that breaks a rule.
 */

import { toHex } from '@slipstream/primitives';
import type { Checker, SimNetwork, Simulation } from '@slipstream/simulator';
import { decodeFrame, type Proposal, type Vote } from '@slipstream/types';
import type { SimulatedChain } from './committee.ts';

export interface ProtocolChecks {
  /** Final block id by height, as the first node reported it. */
  readonly finalByHeight: ReadonlyMap<number, string>;
  finalHeightOf(peer: string): number;
  /** Honest members that some honest node blocked. */
  readonly wronglyBlocked: readonly string[];
  readonly blockedBy: ReadonlyMap<string, ReadonlySet<string>>;
  readonly counts: { views: number; nullified: number; bisections: number; evidence: number; blocks: number };
}

interface SignedSlots {
  notarize?: string;
  nullify?: boolean;
  finalize?: string;
  optimistic?: string;
  normal?: string;
}

/** What `telemetry.event` of an honest node reports reaches the checkers as a note of this shape. */
export interface ReportedEvent {
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function installChecks(
  simulation: Simulation,
  network: SimNetwork,
  chain: SimulatedChain,
  isHonest: (peer: string) => boolean,
): ProtocolChecks {
  const finalByHeight = new Map<number, string>([[0, toHex(chain.genesisId)]]);
  const lastFinal = new Map<string, number>();
  const blockedBy = new Map<string, Set<string>>();
  const wronglyBlocked: string[] = [];
  const counts = { views: 0, nullified: 0, bisections: 0, evidence: 0, blocks: 0 };
  const nullifiedViews = new Set<number>();
  const notarizedByView = new Map<number, string>();
  const digestByBlock = new Map<string, string>();
  const signed = new Map<string, SignedSlots>();
  const certified = new Map<string, string>();
  const peerOfMember = chain.committee.members.map(({ peerKey }) => peerKey as string);

  /** Every signature that leaves a node, across all its lives: signing twice is a failure wherever it happens. */
  const frames: Checker = (event, context) => {
    if (event.type !== 'frame-sent' || !isHonest(event.from)) return;
    const decoded = decodeFrame(event.frame);
    context.check(decoded.ok, `an honest node sends frames that decode`, { from: event.from });
    if (!decoded.ok) return;
    if (decoded.value.name === 'consensus') {
      for (const vote of decoded.value.value.votes) checkVote(event.from, vote, context.check);
      for (const { view, blockId } of decoded.value.value.confirmations) {
        checkProposal(event.from, view, 'normal', toHex(blockId), context.check);
      }
    } else if (decoded.value.name === 'proposal') {
      const proposal: Proposal = decoded.value.value;
      checkProposal(event.from, proposal.block.view, proposal.kind, idOf(event.frame), context.check);
    }
  };

  type Check = (condition: unknown, rule: string, data?: Readonly<Record<string, unknown>>) => void;

  function slotsOf(peer: string, view: number): SignedSlots {
    const key = `${peer}/${view}`;
    const slots = signed.get(key) ?? {};
    signed.set(key, slots);
    return slots;
  }

  function checkVote(from: string, { subject, signer }: Vote, check: Check): void {
    check(peerOfMember[signer] === from, 'a node sends its own votes only', { from, signer });
    const slots = slotsOf(from, subject.view);
    switch (subject.kind) {
      case 'notarize': {
        const id = toHex(subject.blockId);
        check(slots.notarize === undefined || slots.notarize === id, 'I1: one Notarize per view', {
          from,
          view: subject.view,
        });
        slots.notarize = id;
        return;
      }
      case 'nullify':
        check(slots.finalize === undefined, 'I2: no Nullify after Finalize', { from, view: subject.view });
        slots.nullify = true;
        return;
      case 'finalize': {
        const id = toHex(subject.blockId);
        check(!slots.nullify, 'I2: no Finalize after Nullify', { from, view: subject.view });
        check(slots.finalize === undefined || slots.finalize === id, 'one Finalize per view', {
          from,
          view: subject.view,
        });
        slots.finalize = id;
        return;
      }
      case 'certify': {
        const key = `${from}/${toHex(subject.blockId)}`;
        const digest = toHex(subject.stateDigest);
        check((certified.get(key) ?? digest) === digest, 'I5: one digest per block', { from, view: subject.view });
        certified.set(key, digest);
      }
    }
  }

  /** The signature of a proposal frame names its block: bytes of the block are what its id is made of. */
  function idOf(frame: Uint8Array): string {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'proposal') return '';
    const { block } = decoded.value.value;
    return `${block.height}/${toHex(block.parentId)}/${toHex(block.payloadRoot)}/${block.timestampMs}`;
  }

  function checkProposal(from: string, view: number, kind: 'optimistic' | 'normal', id: string, check: Check): void {
    const slots = slotsOf(from, view);
    const isConfirmation = id.length === 64;
    if (isConfirmation) return;
    check(slots[kind] === undefined || slots[kind] === id, `one ${kind} proposal per view`, { from, view });
    slots[kind] = id;
  }

  const reports: Checker = (event, context) => {
    if (event.type !== 'note' || event.name !== 'report' || !isHonest(event.node)) return;
    const { type, fields } = event.data as ReportedEvent;
    switch (type) {
      case 'block.final':
        checkFinal(event.node, Number(fields.height), String(fields.blockId), context.check);
        return;
      case 'block.notarized': {
        const view = Number(fields.view);
        const id = String(fields.blockId);
        const before = notarizedByView.get(view) ?? id;
        context.check(before === id, 'at most one block is notarized a view', { view });
        notarizedByView.set(view, id);
        return;
      }
      case 'block.certified': {
        const id = String(fields.blockId);
        const digest = String(fields.stateDigest);
        context.check((digestByBlock.get(id) ?? digest) === digest, 'one state digest is certified per block', { id });
        digestByBlock.set(id, digest);
        return;
      }
      case 'view.entered':
        counts.views = Math.max(counts.views, Number(fields.view));
        return;
      case 'view.nullified':
        nullifiedViews.add(Number(fields.view));
        counts.nullified = nullifiedViews.size;
        return;
      case 'bisection':
        counts.bisections++;
        return;
      case 'evidence':
        counts.evidence++;
        return;
      case 'peer.blocked': {
        const blocked = peerOfMember[Number(fields.member)] ?? String(fields.peer);
        const by = blockedBy.get(blocked) ?? new Set();
        by.add(event.node);
        blockedBy.set(blocked, by);
        if (isHonest(blocked)) wronglyBlocked.push(blocked);
        context.check(!isHonest(blocked), 'honest nodes are never blocked', { by: event.node, ...fields });
        return;
      }
      case 'alert.raised':
        context.check(fields.rule !== 'too-many-offenders', 'no honest node runs out of peers to block', fields);
    }
  };

  function checkFinal(peer: string, height: number, id: string, check: Check): void {
    const known = finalByHeight.get(height);
    check(known === undefined || known === id, 'agreement: one final block a height', { peer, height });
    if (known === undefined) counts.blocks++;
    finalByHeight.set(height, id);
    lastFinal.set(peer, Math.max(lastFinal.get(peer) ?? 0, height));
  }

  simulation.addChecker('signatures', frames);
  simulation.addChecker('reports', reports);
  void network;
  return {
    finalByHeight,
    finalHeightOf: (peer) => lastFinal.get(peer) ?? 0,
    wronglyBlocked,
    blockedBy,
    counts,
  };
}
