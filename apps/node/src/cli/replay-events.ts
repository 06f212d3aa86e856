import type { Effect } from '@slipstream/consensus';
import type { CoreInput, ReplayedStep } from '@slipstream/flight-recorder';
import { type Certificate, hexOf, type Subject } from '@slipstream/types';
import { timeOfDay } from './replay-views.ts';

/** Undefined: a full node. */
export type MemberOf = (peer: string) => number | undefined;

export function stepLines({ entry, wallMs, input, outcome }: ReplayedStep, memberOf: MemberOf): readonly string[] {
  const first = `${timeOfDay(wallMs)}  #${entry}  ${describeInput(input, memberOf)}`;
  if ('threw' in outcome) return [first, `    threw: ${outcome.threw}`];
  return [first, ...outcome.map((effect) => `    ${describeEffect(effect)}`)];
}

function describeInput(input: CoreInput, memberOf: MemberOf): string {
  const from = 'from' in input ? ` from ${sender(input.from, memberOf)}` : '';
  switch (input.type) {
    case 'consensus-frame': {
      const { votes, certificates, confirmations } = input.frame;
      const parts = [
        ...votes.map(({ subject }) => subjectText(subject)),
        ...certificates.map(certificateText),
        ...confirmations.map(({ view }) => `confirmation of view ${view}`),
      ];
      return `frame${from}: ${parts.join(', ')}`;
    }
    case 'proposal': {
      const { kind, block } = input.proposal;
      return `${kind} proposal${from}: view ${block.view}, height ${block.height}, ${block.payload.length} chunks`;
    }
    case 'heartbeat':
      return `heartbeat${from}`;
    case 'cast-done':
      return `own votes have left: ${input.votes.map(({ subject }) => subjectText(subject)).join(', ')}`;
    case 'propose-done':
      return `own proposal has left: view ${input.proposal.block.view}`;
    case 'verified':
      return `answer of the verifier, token ${input.token}: ${input.verdict.type}`;
    case 'payload-built':
      return `payload built for view ${input.request.view}: ${input.payload.length} chunks`;
    case 'payload-checked':
      return `payload of ${short(input.blockId)}: ${input.verdict.type}`;
    case 'executed':
      return `executed ${short(input.blockId)}: digest ${short(input.digest)}`;
    case 'fetched':
      return `fetched${from}: ${input.blocks.length} blocks, ${input.certificates.length} certificates`;
    case 'offence':
      return `offence of ${sender(input.peer, memberOf)}: ${input.reason} (${input.detail})`;
    case 'peer-connected':
      return `connected to ${sender(input.peer, memberOf)}`;
    case 'pending-changed':
      return input.pending ? 'there is something to include' : 'there is nothing to include';
    case 'lift':
      return `an operator unblocked member ${input.member}`;
    default:
      return input.type;
  }
}

function describeEffect(effect: Effect): string {
  switch (effect.type) {
    case 'cast': {
      const parts = [...effect.votes.map(subjectText), ...effect.certificates.map(certificateText)];
      if (effect.confirm) parts.push(`confirmation of view ${effect.confirm.block.view}`);
      return `sign and send ${parts.join(', ')}`;
    }
    case 'propose':
      return `propose ${short(effect.blockId)}: ${effect.kind}, view ${effect.block.view}, height ${effect.block.height}`;
    case 'report':
      return `${effect.event} ${JSON.stringify(effect.fields)}`;
    case 'verify':
      return `verify ${effect.request.type}, token ${effect.token}`;
    case 'persist-certificate':
      return `log ${certificateText(effect.certificate)}`;
    case 'block-peer':
      return `block a peer: ${effect.reason} (${effect.detail})`;
    case 'finalized':
      return `final: ${short(effect.blockId)}, height ${effect.block.height}`;
    case 'certified':
      return `certified: height ${effect.certificate.subject.height}`;
    case 'fetch':
      return `fetch ${effect.query.type} of ${effect.hint.length === 0 ? 'anybody' : effect.hint.join(',')}`;
    default:
      return 'blockId' in effect ? `${effect.type} ${short(effect.blockId)}` : effect.type;
  }
}

function sender(peer: string, memberOf: MemberOf): string {
  const member = memberOf(peer);
  return member === undefined ? peer.slice(0, 8) : `member ${member}`;
}

function subjectText({ kind, view }: Pick<Subject, 'kind' | 'view'>): string {
  return `${kind} ${view}`;
}

function certificateText({ subject, signers }: Certificate): string {
  return `certificate of ${subjectText(subject)} by ${signers.join(',')}`;
}

function short(id: Parameters<typeof hexOf>[0]): string {
  return hexOf(id).slice(0, 8);
}
