/**
 * Signing-history query, after a start (consensus.md, H4 and H5; docs/decisions/0007)
 *
 * A validator asks its peers for its newest messages and for the newest certificates that count its vote. A message that its log lacks
 * means an older copy of its folder or a second instance: it then refuses to sign. Certificates count because logs hold no votes of other
 * validators: after a restart of the whole network nothing else shows what a member signed.
 *
 *   ask all --> all have answered -------------------------------------> may sign
 *      |  \-----> an answer holds what the log does not know ----------> stale-copy
 *      \-after queryMs--> a quorum has answered, this node included? --yes--> may sign
 *                           \--no--> ask those without an answer again, every queryMs
 *
 * INVARIANT: a node waits for a quorum however long it takes, at no cost of liveness: without a quorum its signatures are useless. A
 * quorum without this node's weight is more than a third, so one honest member is in it (unless this validator alone has a third).
 *
 * Only members' answers count, because any peer may connect with any key. All received answers are judged before the query ends.
 */
import type { Clock, FrameSender, PeerKey, Random, Telemetry, Verifier } from '@slipstream/ports';
import { type Committee, type HistoryAnswer, isQuorum, outgoingFrame, weightOf } from '@slipstream/types';
import { type AnswerJudgeSetting, createAnswerJudge } from './answer-judge.ts';
import { ConsensusError } from './errors.ts';

export interface HistoryQueryComponents {
  readonly transport: FrameSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: Verifier;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

export interface HistoryQuerySetting extends Omit<AnswerJudgeSetting, 'epoch'> {
  readonly committee: Committee;
  /** Afterwards a quorum is enough, and the query is repeated at this interval. */
  readonly queryMs: number;
}

export interface SigningHistoryQuery {
  /** Resolves when enough members answered, and at stop(). Rejects with ConsensusError `stale-copy`. */
  readonly answered: Promise<void>;
  /** Empty once the query has ended. */
  readonly unanswered: readonly number[];
  /** The highest view of rule 5a with an own Finalize in an answer. */
  readonly finalizedUpToView: number;
  onConnected(peer: PeerKey): void;
  onAnswer(from: PeerKey, answer: HistoryAnswer): void;
  stop(): void;
}

export function createSigningHistoryQuery(
  components: HistoryQueryComponents,
  setting: HistoryQuerySetting,
): SigningHistoryQuery {
  const { transport, clock, random, verifier, telemetry } = components;
  const judge = createAnswerJudge({ clock, verifier }, { ...setting, epoch: setting.committee.epoch });
  const nonce = random.below(0xffff_ffff);
  const { committee, self, queryMs } = setting;
  const { epoch } = committee;
  const query = outgoingFrame('historyQuery', { epoch, nonce });
  const unanswered = new Map(
    committee.members.flatMap(({ index, peerKey }) => (index === self ? [] : [[peerKey, index] as const])),
  );
  const voters = new Set([self]);
  let judging = 0;
  let finalizedUpToView = 0;
  let timeIsOver = false;
  let cancelTimer = () => {};
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
  answered.catch(() => {}); // reported to the caller

  transport.broadcast('consensus', query);
  cancelTimer = clock.after(queryMs, () => {
    timeIsOver = true;
    endWhenEnough();
    if (unanswered.size > 0) warnOfMissingAnswers();
    queryUnanswered();
  });
  endWhenEnough();

  function endWhenEnough(): void {
    const enough = unanswered.size === 0 || (timeIsOver && isQuorum(weightOf(voters, committee), committee));
    if (enough && judging === 0) end(resolve);
  }

  function end(finish: () => void): void {
    unanswered.clear();
    cancelTimer();
    finish();
  }

  /** Repeated, because query or answer may be lost. */
  function queryUnanswered(): void {
    if (unanswered.size === 0) return;
    for (const peer of unanswered.keys()) transport.send(peer, 'consensus', query);
    cancelTimer = clock.after(queryMs, queryUnanswered);
  }

  function warnOfMissingAnswers(): void {
    telemetry.log(
      'warn',
      'nothing is signed yet: too few members have answered what this validator signed last. Start them, or look at the links to them',
      { unansweredMembers: [...unanswered.values()] },
    );
  }

  async function onAnswer(from: PeerKey, answer: HistoryAnswer): Promise<void> {
    const member = unanswered.get(from);
    if (answer.nonce !== nonce || answer.epoch !== epoch || member === undefined) return;
    unanswered.delete(from);
    voters.add(member);
    judging += 1;
    const unknown = await judgeAnswer(answer).finally(() => {
      judging -= 1;
    });
    if (unknown === undefined) endWhenEnough();
    else end(() => reject(staleCopy(from, unknown)));
  }

  async function judgeAnswer(answer: HistoryAnswer): Promise<string | undefined> {
    const unknown = await judge.firstUnknown(answer);
    const finalizedView = await judge.finalizedView(answer);
    finalizedUpToView = Math.max(finalizedUpToView, finalizedView);
    return unknown;
  }

  return {
    answered,
    get finalizedUpToView() {
      return finalizedUpToView;
    },
    get unanswered() {
      return [...unanswered.values()];
    },
    onConnected(peer) {
      if (unanswered.has(peer)) transport.send(peer, 'consensus', query);
    },
    onAnswer(from, answer) {
      onAnswer(from, answer).catch(() => {}); // the verifier has stopped, and so does the node
    },
    stop: () => end(resolve),
  };
}

function staleCopy(peer: PeerKey, what: string): ConsensusError {
  return new ConsensusError(
    'stale-copy',
    `peer ${peer.slice(0, 8)} holds a message of this validator that its log does not know (${what}): this is an older copy of ` +
      'its data folder, or another instance runs with the same key. It will not sign. Stop the other instance, or restore the ' +
      'newest folder, or move the signing history over with "slipstream keys export-history" and "import-history". When its ' +
      'newest data is lost for good: "slipstream keys recover-history".',
    { peer, what },
  );
}
