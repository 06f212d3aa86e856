/**
 * Applications of a chain of whole nodes: what genesis names, and the artifacts of later versions that a node has in its home.
 *
 * A node reads its home at the start of its process (decision 0076), so an artifact that is accepted meanwhile takes a restart.
 */
import type { Applications } from '@slipstream/execution';
import {
  artifactTable,
  type FoundingApplication,
  inGenesis,
  loadApplications,
} from '@slipstream/node-home/applications';
import { type Epoch, type Genesis, RULES_VERSION, type UnitsOfCalls } from '@slipstream/types';
import { unitsByEpoch } from '../../../../apps/node/src/assembly/dissemination.ts';
import type { Known } from '../../../../apps/node/src/epochs/known-rules.ts';
import type { NodeEpochs } from '../../../../apps/node/src/epochs/node-epochs.ts';

export interface ChainApplications {
  readonly founding: readonly FoundingApplication[];
  /** Artifacts in the home of this node, besides those of genesis. */
  acceptedBy(node: number): readonly Uint8Array[];
}

/** Of a process. */
export interface NodeApplications {
  /** In realms of its own. */
  readonly applications: Applications;
  readonly known: Known;
  unitsOfCalls(epochs: Pick<NodeEpochs, 'of'>): (epoch: Epoch) => UnitsOfCalls | undefined;
}

export const foundingOf = ({ founding }: ChainApplications): Genesis['applications'] => founding.map(inGenesis);

export function openApplications(
  chain: ChainApplications | undefined,
  accepted: readonly Uint8Array[],
): NodeApplications {
  const founding = (chain?.founding ?? []).map(({ artifact }) => artifact);
  const artifacts = artifactTable([...founding, ...accepted]);
  return {
    applications: loadApplications(founding, { accepted }),
    known: { version: RULES_VERSION, artifacts },
    unitsOfCalls: (epochs) => unitsByEpoch(epochs, artifacts),
  };
}
