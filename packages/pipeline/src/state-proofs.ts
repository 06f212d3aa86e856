/**
 * Proofs of the committed state.
 *
 * Made on the journal's lane, behind the commits that wait there: between two commits store and tree are at one block.
 */
import type { Result } from '@slipstream/primitives';
import type { StateStore } from '@slipstream/state';
import type { NoProof, PathProof, StateTree } from '@slipstream/state-tree';
import type { Height } from '@slipstream/types';
import { PipelineError } from './errors.ts';
import type { Lane } from './lane.ts';
import type { Progress } from './progress.ts';

export interface ProvenEntry {
  /** Undefined: the key is absent. */
  readonly value: Uint8Array | undefined;
  /** To the state root of the height's digest. */
  readonly path: PathProof;
}

export interface ProvenState {
  readonly height: Height;
  /** In the order of the keys. */
  readonly entries: readonly Result<ProvenEntry, NoProof>[];
}

/**
 * Keys of 1 to 63 bytes. `work` runs what takes this thread's time, for a caller that measures it. Rejects with PipelineError `stopped`,
 * StateTreeError `damaged`.
 */
export type ProveState = (keys: readonly Uint8Array[], work?: <R>(make: () => R) => R) => Promise<ProvenState>;

interface ProofComponents {
  readonly state: StateStore;
  readonly tree: StateTree;
  readonly journal: Lane;
  readonly progress: Progress;
}

/** A commit goes first. */
const PROOF_URGENCY = 1;

export function createStateProofs({ state, tree, journal, progress }: ProofComponents): ProveState {
  function proven(keys: readonly Uint8Array[]): ProvenState {
    if (progress.state !== 'running' || state.tip.block !== tree.tip) {
      throw new PipelineError('stopped', 'the pipeline has stopped: it proves no state', {});
    }
    const entries = keys.map((key): Result<ProvenEntry, NoProof> => {
      const path = tree.prove(key);
      return path.ok ? { ok: true, value: { value: state.get(key), path: path.value } } : path;
    });
    return { height: progress.tip.height, entries };
  }

  return (keys, work = (make) => make()) =>
    new Promise((resolve, reject) => {
      journal.push(PROOF_URGENCY, async () => {
        try {
          resolve(work(() => proven(keys)));
        } catch (error) {
          reject(error);
        }
      });
    });
}
