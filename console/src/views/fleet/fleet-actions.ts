/** Actions on nodes of a development network, and when each is possible. */
import type { FleetAction } from '../../node/fleet.ts';
import type { FleetEntry } from './fleet-entries.ts';

export interface ActEntry {
  readonly act: FleetAction;
  readonly title: string;
  readonly means: string;
  readonly done: string;
}

export const ACTS: readonly ActEntry[] = [
  {
    act: 'stop',
    title: 'Stop',
    means: 'Stop the process with SIGTERM; it finishes work in progress.',
    done: 'Stopped',
  },
  { act: 'kill', title: 'Kill', means: 'Kill the process with SIGKILL; work in progress is lost.', done: 'Killed' },
  { act: 'start', title: 'Start', means: 'Start the process; it recovers from disk and syncs.', done: 'Started' },
  {
    act: 'pause',
    title: 'Pause',
    means: 'Suspend the process; connections stay open and nothing is sent.',
    done: 'Paused',
  },
  { act: 'resume', title: 'Resume', means: 'Resume a paused process.', done: 'Resumed' },
  {
    act: 'partition',
    title: 'Partition',
    means: 'The chosen nodes reach each other and no other node.',
    done: 'Partitioned',
  },
  { act: 'heal', title: 'Heal all links', means: 'Remove all partitions.', done: 'All links are healed' },
  {
    act: 'corrupt',
    title: 'Corrupt signatures',
    means: 'Its votes do not verify: bisection finds it, and other nodes block it.',
    done: 'Corrupting signatures',
  },
  {
    act: 'restore',
    title: 'Restore signatures',
    means: 'Its votes verify again. Unblock it under Peers.',
    done: 'Restored signatures',
  },
];

export function possible(act: FleetAction, names: readonly string[], entries: readonly FleetEntry[]): boolean {
  if (act === 'heal') return entries.some(({ cutFrom }) => cutFrom.length > 0);
  const targets = entries.filter(({ name }) => names.includes(name));
  if (targets.length === 0) return false;
  switch (act) {
    case 'start':
      return targets.every(({ process }) => process === 'stopped');
    case 'resume':
      return targets.every(({ process }) => process === 'paused');
    case 'pause':
      return targets.every(({ process }) => process === 'running');
    case 'stop':
    case 'kill':
      return targets.every(({ process }) => process !== 'stopped');
    case 'partition':
      return targets.length < entries.length;
    case 'corrupt':
      return targets.every(({ corrupt, validator }) => !corrupt && validator !== null);
    case 'restore':
      return targets.every(({ corrupt }) => corrupt);
    default:
      return act satisfies never;
  }
}
