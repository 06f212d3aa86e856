/** Signing permission: the signing-history query of the current committee, once in a process where that is enough (H4). */
import type { PeerKey } from '@slipstream/ports';
import type { Committee, HistoryAnswer } from '@slipstream/types';
import type { ConsensusSetting } from './consensus.ts';
import { createSigningHistoryQuery, type HistoryQueryComponents, type SigningHistoryQuery } from './history-query.ts';
import { ownMessages } from './restored-log.ts';

export interface SigningPermission {
  /** Empty when no query runs. */
  readonly unanswered: readonly number[];
  /**
   * At the start and at each move: asks this committee, and no longer the one before. What was learned holds in later epochs, but not where
   * `mayHaveBegun`: an earlier life may have signed there, and only the members know. Settles when the newest call does; rejects with
   * ConsensusError `stale-copy`.
   */
  seek(committee: Committee, self: number | undefined, mayHaveBegun: boolean): Promise<void>;
  onConnected(peer: PeerKey): void;
  onAnswer(from: PeerKey, answer: HistoryAnswer): void;
  stop(): void;
}

export function createSigningPermission(
  components: HistoryQueryComponents,
  setting: ConsensusSetting,
  onGranted: (finalizedUpToView: number) => void,
): SigningPermission {
  const { genesisHash, options, firstRetainedView, refuseUpToView, nullifyUpToView } = setting;
  const restored = ownMessages(setting.restored);
  let query: SigningHistoryQuery | undefined;
  let granted = false;
  let newest: Promise<void> = Promise.resolve();

  async function ask(committee: Committee, self: number | undefined, mayHaveBegun: boolean): Promise<void> {
    if (mayHaveBegun) granted = false;
    if (granted) return;
    query?.stop();
    query = undefined;
    if (self === undefined) return;
    const asked = createSigningHistoryQuery(components, {
      genesisHash,
      self,
      committee,
      queryMs: options.historyQueryMs,
      firstRetainedView: Math.max(firstRetainedView, refuseUpToView + 1),
      restored,
      nullifyUpToView,
    });
    query = asked;
    await asked.answered;
    if (query !== asked) return newest;
    granted = true;
    onGranted(asked.finalizedUpToView);
  }

  return {
    get unanswered() {
      return query?.unanswered ?? [];
    },
    seek(committee, self, mayHaveBegun) {
      newest = ask(committee, self, mayHaveBegun);
      return newest;
    },
    onConnected: (peer) => query?.onConnected(peer),
    onAnswer: (from, answer) => query?.onAnswer(from, answer),
    stop: () => query?.stop(),
  };
}
