/**
 * The signing-history query after a start (consensus.md, "Signing history"; docs/decisions/0007)
 *
 * A validator asks its peers for the newest messages that they hold of it, and for the newest certificates that count a vote
 * of it; starting peers answer too. A message that is missing in its own log means an older copy of its folder or a second
 * instance: the validator then refuses to sign and names the message.
 *
 * Logs hold certificates, but no votes of other validators. After a restart of the whole network, certificates alone show what
 * a member signed; no peer knows what it signed after the newest of them.
 *
 *   ask all --> all have answered -------------------------------------> may sign
 *      |  \-----> an answer holds what the log does not know ----------> stale-copy
 *      \-after askMs--> a quorum has answered, this node included? --yes--> may sign
 *                           \--no--> ask those without an answer again, every askMs
 *
 * INVARIANT: a missing answer is no answer. A node waits for a quorum however long it takes. That costs no liveness: its
 * signatures are useless without a quorum. A quorum without this node's weight is more than a third, so at least one honest
 * member is in it (unless this validator alone has a third of the weight).
 *
 * Only other members' answers count, because anyone may connect with any key. Received answers are judged before the query
 * ends, even when the verifier is slow.
 */
import type { Clock, PeerKey, Random, Telemetry, Transport, Verifier } from '@slipstream/ports';
import { type Committee, encodeFrame, type HistoryAnswer, isQuorum, weightOf } from '@slipstream/types';
import { type AnswerJudgeSetting, createAnswerJudge } from './answer-judge.ts';
import { ConsensusError } from './errors.ts';

interface HistoryQueryComponents {
  readonly transport: Pick<Transport, 'broadcast' | 'send'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: Verifier;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

export interface HistoryQuerySetting extends AnswerJudgeSetting {
  readonly committee: Committee;
  /** Time for all others to answer. After it a quorum is enough, and the query is repeated at this interval. */
  readonly askMs: number;
}

export interface SigningHistoryQuery {
  /** Resolves when enough members have answered, and at stop(). Rejects with ConsensusError `stale-copy`. */
  readonly answered: Promise<void>;
  /** Members that have not answered; none once the query has ended. */
  readonly unanswered: readonly number[];
  /** The highest view of rule 5a for which an answering peer holds a Finalize of this validator. */
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
  const judge = createAnswerJudge({ clock, verifier }, setting);
  const nonce = random.below(0xffff_ffff);
  const ask = encodeFrame('historyQuery', { nonce });
  const { committee, self, askMs } = setting;
  /** Members that have not answered yet, by their peer. */
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

  transport.broadcast('consensus', ask);
  cancelTimer = clock.after(askMs, () => {
    timeIsOver = true;
    endWhenEnough();
    if (unanswered.size > 0) warnOfMissingAnswers();
    askUnanswered();
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

  /** And again, until it ends: a question or an answer may be lost. */
  function askUnanswered(): void {
    if (unanswered.size === 0) return;
    for (const peer of unanswered.keys()) transport.send(peer, 'consensus', ask);
    cancelTimer = clock.after(askMs, askUnanswered);
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
    if (answer.nonce !== nonce || member === undefined) return;
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
      if (unanswered.has(peer)) transport.send(peer, 'consensus', ask);
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
