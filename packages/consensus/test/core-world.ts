/**
 * A world for cores alone: what a driver would do is done at once, time is a number, and every frame waits until the test says
 * who gets it. Signatures are marks: the first byte says whether they are good.
 */
import type { PeerKey } from '@slipstream/ports';
import { type Durable, declareDurable, sha256, utf8 } from '@slipstream/primitives';
import {
  asId,
  BLS_AGGREGATE_BYTES,
  BLS_SIGNATURE_BYTES,
  type Block,
  type BlockId,
  blockIdOf,
  type Certificate,
  type Committee,
  type ConsensusFrame,
  createCommittee,
  type EpochRecord,
  GENESIS_EPOCH,
  type GenesisHash,
  genesisBlock,
  height,
  NO_UNITS,
  type Proposal,
  type ProposalKind,
  payloadRootOf,
  RULES_VERSION,
  type StateDigest,
  type Subject,
  type View,
  type Vote,
  validatorIdOf,
  view,
} from '@slipstream/types';
import {
  type ConsensusOptions,
  type Core,
  type CoreSetting,
  createCore,
  type Effect,
  type Event,
  LOCAL_OPTIONS,
  NOTHING_RESTORED,
} from '../src/index.ts';

export const GENESIS_HASH = asId<GenesisHash>(sha256(utf8('a chain for tests')));
export const GENESIS: Block = genesisBlock(GENESIS_HASH, 0);
export const GENESIS_ID: BlockId = blockIdOf(GENESIS);
export const WALL_MS = 1_000_000;

/** What left a core and was not given to everybody yet. */
export interface Sent {
  readonly from: number;
  readonly frame: ConsensusFrame | undefined;
  readonly proposal: Proposal | undefined;
  readonly resent: boolean;
  readonly gotBy: Set<number>;
}

export interface CoreWorldOptions {
  readonly weights?: readonly number[];
  /** Members with a core; the rest are the test's to play. Default: all. */
  readonly cores?: readonly number[];
  readonly options?: Partial<ConsensusOptions>;
  readonly setting?: (member: number) => Partial<CoreSetting>;
  /** Default: a core alone. */
  readonly create?: (setting: CoreSetting, member: number) => Core;
  /** Payloads of these blocks are never called valid. */
  readonly holdPayload?: (member: number, block: Block) => boolean;
  readonly holdExecution?: (member: number, block: Block) => boolean;
  /** These checks are never answered. */
  readonly holdCheck?: (check: Extract<Effect, { type: 'verify' }>) => boolean;
}

export interface CoreWorld {
  readonly nowMs: number;
  readonly sent: readonly Sent[];
  core(member: number): Core;
  /** All effects of a member so far, oldest first. */
  effects<T extends Effect['type']>(member: number, type: T): readonly Extract<Effect, { type: T }>[];
  step(member: number, event: Event): void;
  /** Gives what was sent to these members (default: all), as far as `select` says; once each. */
  deliver(to?: readonly number[], select?: (sent: Sent) => boolean): void;
  /** Delivers and goes on until nothing is left to deliver. */
  settle(to?: readonly number[], select?: (sent: Sent) => boolean): void;
  /** Time passes; cores are woken when they asked to be. */
  pass(ms: number): void;
  give(to: number, from: number, frame: Partial<ConsensusFrame>): void;
  givePropose(to: number, from: number, proposal: Proposal): void;
  leaderOf(view: number): number;
  votes(member: number): readonly Subject[];
}

export function peerOf(member: number): PeerKey {
  return member.toString(16).padStart(64, '0') as PeerKey;
}

export function committeeOf(weights: readonly number[]) {
  return createCommittee(
    weights.map((weight, index) => ({ weight, blsPublicKey: new Uint8Array(48), peerKey: peerOf(index) })),
  );
}

/** Parameters and addresses play no part here. */
export function recordOf({ epoch, members }: Committee): EpochRecord {
  const free = [0n, 0n, 0n, 0n, 0n];
  const { delayMs, graceMs, leaderTimeoutMs, viewTimeoutMs, minBlockIntervalMs } = LOCAL_OPTIONS;
  return {
    epoch,
    version: RULES_VERSION,
    parameters: {
      fees: { initialPrices: free, minimumPrices: free, targets: NO_UNITS, limits: NO_UNITS, windowBlocks: 1 },
      times: { delayMs, graceMs, leaderTimeoutMs, viewTimeoutMs, minBlockIntervalMs },
      trustedIssuers: [],
      leaderReputation: false,
      applications: [],
    },
    members: members.map(({ weight, blsPublicKey, peerKey }) => ({
      validatorId: validatorIdOf(blsPublicKey),
      weight,
      blsPublicKey,
      peerKey,
      previousPeerKey: undefined,
      address: 'test:1',
      feeAccount: { scheme: 'ed25519', bytes: sha256(blsPublicKey) },
      leads: true,
    })),
  };
}

export function mark(bytes: number, good = true): Uint8Array {
  const signature = new Uint8Array(bytes);
  signature[0] = good ? 1 : 2;
  return signature;
}

/** As from the log of its signer. */
export function voteOf<S extends Subject>(subject: S, signer: number, good = true): Durable<Vote<S>> {
  return declareDurable({ subject, signer, signature: mark(BLS_SIGNATURE_BYTES, good) });
}

export function certificateOf<S extends Subject>(subject: S, signers: readonly number[], good = true): Certificate<S> {
  return { subject, signers, aggregate: mark(BLS_AGGREGATE_BYTES, good) };
}

/** A block on a parent; `salt` makes rivals. */
export function blockOn(parent: Block, at: number, proposer: number, salt = 0): Block {
  return {
    epoch: GENESIS_EPOCH,
    view: view(at),
    height: height(parent.height + 1),
    parentId: blockIdOf(parent),
    parentView: parent.view,
    timestampMs: parent.timestampMs + 1 + salt,
    proposer,
    payload: [],
    payloadRoot: payloadRootOf([]),
    next: undefined,
  };
}

/** As from the log of its signer. */
export function proposalOf(
  kind: ProposalKind,
  block: Block,
  justification: readonly Certificate[] = [],
  good = true,
): Durable<Proposal> {
  return declareDurable({ kind, block, justification, signature: mark(BLS_SIGNATURE_BYTES, good) });
}

export const notarize = (block: Block) =>
  ({ kind: 'notarize', epoch: GENESIS_EPOCH, view: block.view, blockId: blockIdOf(block) }) as const;
export const finalize = (block: Block) =>
  ({ kind: 'finalize', epoch: GENESIS_EPOCH, view: block.view, blockId: blockIdOf(block) }) as const;
const confirmationsOf = (confirm: Extract<Effect, { type: 'cast' }>['confirm']) => {
  if (confirm === undefined) return [];
  const { epoch, view: at } = confirm.block;
  return [{ epoch, view: at, blockId: confirm.blockId, signature: mark(BLS_SIGNATURE_BYTES) }];
};
export const nullify = (at: number) => ({ kind: 'nullify', epoch: GENESIS_EPOCH, view: view(at) }) as const;
export const digestOf = (block: Block) => asId<StateDigest>(sha256(blockIdOf(block)));
export const certify = (block: Block) =>
  ({
    kind: 'certify',
    epoch: GENESIS_EPOCH,
    view: block.view,
    height: block.height,
    blockId: blockIdOf(block),
    stateDigest: digestOf(block),
  }) as const;

export function createCoreWorld(worldOptions: CoreWorldOptions = {}): CoreWorld {
  const { weights = [1, 1, 1, 1], holdPayload = () => false, holdExecution = () => false } = worldOptions;
  const committee = committeeOf(weights);
  const members = worldOptions.cores ?? committee.members.map(({ index }) => index);
  const cores = new Map<number, Core>();
  const wakes = new Map<number, number>();
  const effects = new Map<number, Effect[]>();
  const sent: Sent[] = [];
  let nowMs = 0;

  for (const member of members) {
    const setting: CoreSetting = {
      genesisHash: GENESIS_HASH,
      committee,
      self: member,
      options: { ...LOCAL_OPTIONS, minBlockIntervalMs: 0, ...worldOptions.options },
      root: { block: GENESIS, blockId: GENESIS_ID, certificate: undefined },
      refuseUpToView: 0,
      nullifyUpToView: 0,
      restored: NOTHING_RESTORED,
      ...worldOptions.setting?.(member),
    };
    cores.set(member, worldOptions.create?.(setting, member) ?? createCore(setting, nowMs, WALL_MS));
    effects.set(member, []);
  }

  function step(member: number, event: Event): void {
    const queue: Event[] = [event];
    for (let next = queue.shift(); next; next = queue.shift()) {
      for (const effect of core(member).step(next, nowMs, WALL_MS + nowMs)) {
        effects.get(member)?.push(effect);
        queue.push(...perform(member, effect));
      }
    }
  }

  function send(from: number, part: Partial<Sent>): void {
    sent.push({ from, frame: undefined, proposal: undefined, resent: false, gotBy: new Set([from]), ...part });
  }

  /** What a driver answers. */
  function perform(member: number, effect: Effect): readonly Event[] {
    switch (effect.type) {
      case 'cast': {
        const votes = effect.votes.map((subject) => voteOf(subject, effect.signer ?? member));
        const confirmation = effect.confirm && proposalOf('normal', effect.confirm.block);
        const confirmations = confirmationsOf(effect.confirm);
        send(member, { frame: { votes, certificates: effect.certificates, confirmations } });
        return votes.length > 0 || confirmation ? [{ type: 'cast-done', votes, confirmation }] : [];
      }
      case 'propose': {
        const proposal = proposalOf(effect.kind, effect.block, effect.justification);
        send(member, { proposal });
        return [{ type: 'propose-done', proposal }];
      }
      case 'resend':
        send(member, { frame: effect.frame, resent: true });
        return [];
      case 'resend-proposal':
        send(member, { proposal: effect.proposal, resent: true });
        return [];
      case 'wake':
        wakes.set(member, effect.atMs);
        return [];
      case 'verify':
        return worldOptions.holdCheck?.(effect) ? [] : [verdictOn(effect)];
      case 'build-payload':
        return [{ type: 'payload-built', request: effect.request, payload: [] }];
      case 'check-payload':
        if (holdPayload(member, effect.block)) return [];
        return [{ type: 'payload-checked', blockId: effect.blockId, verdict: { type: 'valid' } }];
      case 'finalized':
        if (holdExecution(member, effect.block)) return [];
        return [{ type: 'committed', height: effect.block.height }];
      case 'execute':
        if (holdExecution(member, effect.block)) return [];
        return [{ type: 'executed', blockId: effect.blockId, digest: digestOf(effect.block) }];
      case 'epoch-begun':
        // All others have answered the signing-history query.
        return effect.mayHaveBegun ? [{ type: 'signing-enabled', finalizedUpToView: 0 }] : [];
      default:
        return [];
    }
  }

  function core(member: number): Core {
    const found = cores.get(member);
    if (found === undefined) throw new RangeError(`member ${member} has no core`);
    return found;
  }

  function deliver(to: readonly number[] = members, select: (sent: Sent) => boolean = () => true): void {
    for (const each of [...sent]) {
      if (!select(each)) continue;
      for (const member of to) {
        if (each.gotBy.has(member) || !cores.has(member)) continue;
        each.gotBy.add(member);
        if (each.proposal) givePropose(member, each.from, each.proposal);
        if (each.frame) give(member, each.from, each.frame);
      }
    }
  }

  function give(to: number, from: number, frame: Partial<ConsensusFrame>): void {
    const whole = { votes: [], certificates: [], confirmations: [], ...frame };
    step(to, { type: 'consensus-frame', from: peerOf(from), frame: whole });
  }

  function givePropose(to: number, from: number, proposal: Proposal): void {
    step(to, { type: 'proposal', from: peerOf(from), proposal });
  }

  function pass(ms: number): void {
    const untilMs = nowMs + ms;
    for (;;) {
      const due = [...wakes].sort((a, b) => a[1] - b[1])[0];
      if (due === undefined || due[1] > untilMs) break;
      nowMs = Math.max(nowMs, due[1]);
      step(due[0], { type: 'tick' });
    }
    nowMs = untilMs;
  }

  for (const member of members) {
    step(member, { type: 'tick' });
    step(member, { type: 'pending-changed', pending: true });
    step(member, { type: 'signing-enabled', finalizedUpToView: 0 });
  }

  return {
    get nowMs() {
      return nowMs;
    },
    sent,
    core,
    effects<T extends Effect['type']>(member: number, type: T) {
      const all = effects.get(member) ?? [];
      return all.filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
    },
    step,
    deliver,
    settle(to, select) {
      for (let before = -1; before !== sent.length; ) {
        before = sent.length;
        deliver(to, select);
      }
    },
    pass,
    give,
    givePropose,
    leaderOf: (at) => core(members[0] as number).leaderOf(view(at) as View),
    votes: (member) => (effects.get(member) ?? []).flatMap((effect) => (effect.type === 'cast' ? effect.votes : [])),
  };
}

function verdictOn({ token, request }: Extract<Effect, { type: 'verify' }>): Event {
  if (request.type === 'certificate') {
    return { type: 'verified', token, verdict: { type: 'certificate', valid: request.request.aggregate[0] === 1 } };
  }
  if (request.type === 'votes') {
    return { type: 'verified', token, verdict: { type: 'votes', valid: request.votes.map(isGood) } };
  }
  const { votes } = request.request;
  const offenders = votes.filter((vote) => !isGood(vote)).map(({ signer }) => signer);
  const aggregate = offenders.length === 0 ? mark(BLS_AGGREGATE_BYTES) : undefined;
  const verified = aggregate ? [] : votes.filter(isGood).map(({ signer }) => signer);
  return {
    type: 'verified',
    token,
    verdict: { type: 'quorum', result: { aggregate, offenders, verified, checks: 1, tookMs: 0 } },
  };
}

function isGood({ signature }: { readonly signature: Uint8Array }): boolean {
  return signature[0] === 1;
}
