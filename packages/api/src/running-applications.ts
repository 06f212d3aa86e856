/**
 * Which applications run, and ran: a block runs the artifacts that the record of its epoch names (applications.md, A15), so a call is read
 * with the manifest of its block's epoch.
 */
import type { Height } from '@slipstream/types';
import { createKnownApplications, type KnownApplications } from './applications.ts';
import type { InstalledApplications, NodeBackend } from './backend.ts';

export interface RunningApplications {
  /** Of the newest committed block. */
  now(): Promise<KnownApplications>;
  inEpoch(epoch: number): Promise<KnownApplications>;
  /** Of a block; undefined, and of one that is pruned: of the newest. */
  at(height: Height | undefined): Promise<KnownApplications>;
}

export function createRunningApplications(
  backend: Pick<NodeBackend, 'applications' | 'block' | 'epoch'>,
): RunningApplications {
  const known = new WeakMap<InstalledApplications, KnownApplications>();

  async function inEpoch(epoch: number): Promise<KnownApplications> {
    const installed = await backend.applications.inEpoch(epoch);
    const applications = known.get(installed) ?? createKnownApplications(installed);
    known.set(installed, applications);
    return applications;
  }

  const now = () => inEpoch(backend.epoch());

  return {
    now,
    inEpoch,
    async at(height) {
      if (height === undefined || backend.epoch() === 0) return now();
      const found = await backend.block({ type: 'height', height });
      return found.type === 'found' ? inEpoch(found.value.block.epoch) : now();
    },
  };
}
