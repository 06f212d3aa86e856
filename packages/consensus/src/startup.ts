/**
 * The start-up question: what did I sign last? (consensus.md, "Durability")
 *
 * A validator asks its peers for the newest messages of its own that they hold, and waits startupAskMs at most; peers that are
 * starting answer too. A message that its log should know and does not means an older copy of its folder, or a second
 * instance: it refuses to sign and says which message it was.
 *
 * Only other members answer: a stranger may connect with any key, and silence that strangers vouch for is worth nothing. Answers
 * that have come are judged before the question ends, however late the verifier is.
 */
import type { Clock, PeerKey, Random, Transport, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  blockIdOf,
  type Committee,
  encodeFrame,
  type GenesisHash,
  type Proposal,
  proposalCodec,
  proposalMessage,
  type StartupAnswer,
  subjectKey,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import type { Restored } from './context.ts';
import { ConsensusError } from './errors.ts';

export interface StartupComponents {
  readonly transport: Pick<Transport, 'broadcast' | 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: Verifier;
}

export interface StartupSetting {
  readonly genesisHash: GenesisHash;
  readonly self: number;
  readonly committee: Committee;
  readonly askMs: number;
  /** Messages below this view are older than the log. */
  readonly firstRetainedView: number;
  readonly restored: Restored;
}

export interface StartupQuestion {
  /** Settles when all have answered or the time is over. Rejects with ConsensusError `stale-copy`. */
  readonly answered: Promise<void>;
  onConnected(peer: PeerKey): void;
  onAnswer(from: PeerKey, answer: StartupAnswer): void;
}

export function askAtStartup(components: StartupComponents, setting: StartupSetting): StartupQuestion {
  const { transport, clock, random, verifier } = components;
  const nonce = random.below(0xffff_ffff);
  const ask = encodeFrame('startupAsk', { nonce });
  const { committee, self } = setting;
  const others = new Set(committee.members.flatMap(({ index, peerKey }) => (index === self ? [] : [peerKey])));
  const heard = new Set<PeerKey>();
  let judging = 0;
  let timeIsOver = false;
  let settle: (error?: ConsensusError) => void = () => {};

  const answered = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  answered.catch(() => {}); // whoever awaits it sees it
  settleWhenDone();
  clock.after(setting.askMs, () => {
    timeIsOver = true;
    settleWhenDone();
  });
  transport.broadcast('consensus', ask);

  function settleWhenDone(): void {
    if (judging === 0 && (timeIsOver || heard.size === others.size)) settle();
  }

  async function onAnswer(from: PeerKey, answer: StartupAnswer): Promise<void> {
    if (answer.nonce !== nonce || !others.has(from) || heard.has(from)) return;
    heard.add(from);
    judging += 1;
    const unknown = await firstUnknown(answer).finally(() => {
      judging -= 1;
    });
    if (unknown === undefined) settleWhenDone();
    else settle(staleCopy(from, unknown));
  }

  /** A message of this validator that its log does not know. */
  async function firstUnknown({ votes, proposals }: StartupAnswer): Promise<string | undefined> {
    for (const vote of votes) if (await isUnknownVote(vote)) return subjectKey(vote.subject);
    for (const bytes of proposals) {
      const decoded = proposalCodec.decode(bytes);
      if (decoded.ok && (await isUnknownProposal(decoded.value))) return `proposal of view ${decoded.value.block.view}`;
    }
    return undefined;
  }

  async function isUnknownVote({ subject, signer, signature }: Vote): Promise<boolean> {
    if (signer !== setting.self || subject.view < setting.firstRetainedView) return false;
    const key = subjectKey(subject);
    if (setting.restored.votes.some((vote) => subjectKey(vote.subject) === key)) return false;
    return verifier.checkVote(subjectMessage(setting.genesisHash, subject), signer, signature, 'consensus');
  }

  async function isUnknownProposal({ kind, block, signature }: Proposal): Promise<boolean> {
    if (block.proposer !== setting.self || block.view < setting.firstRetainedView) return false;
    const blockId = blockIdOf(block);
    const known = setting.restored.proposals.some(
      (own) => own.kind === kind && bytesEqual(blockIdOf(own.block), blockId),
    );
    if (known) return false;
    const message = proposalMessage(setting.genesisHash, block.view, kind, blockId);
    return verifier.checkVote(message, setting.self, signature, 'consensus');
  }

  return {
    answered,
    onConnected(peer) {
      transport.send(peer, 'consensus', ask);
    },
    onAnswer(from, answer) {
      onAnswer(from, answer).catch(() => {}); // the verifier stopped: so does the node
    },
  };
}

function staleCopy(peer: PeerKey, what: string): ConsensusError {
  return new ConsensusError(
    'stale-copy',
    `peer ${peer.slice(0, 8)} holds a message of this validator that its log does not know (${what}): this is an older copy of ` +
      'its data folder, or another instance runs with the same key. It will not sign. Stop the other instance, or restore the ' +
      'newest folder, or move the signing history over with "slipstream keys export-history" and "import-history".',
    { peer, what },
  );
}
