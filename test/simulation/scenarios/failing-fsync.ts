import type { DiskErrorCode } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import type { DiskOperation } from '@slipstream/simulator';
import type { Scenario, Stage } from '../scenario.ts';

export const failingFsync: Scenario = {
  name: 'failing-fsync',
  about:
    'An fdatasync fails on one validator: it signs nothing more and stops with a message, the others finalize blocks.',
  play: (stage) => breakDisk(stage, { operation: 'sync', code: 'io' }),
};

export const failingRename: Scenario = {
  name: 'failing-rename',
  about:
    'The sign state of one validator cannot be renamed into place: it reserves no views, signs nothing more, and reports it.',
  play: (stage) => breakDisk(stage, { operation: 'rename', code: 'io' }),
};

export const failingOpen: Scenario = {
  name: 'failing-open',
  about: 'No file can be opened on one validator, as without inodes: it stops when it needs one, and reports it.',
  play: (stage) => breakDisk(stage, { operation: 'open', code: 'no-space' }),
};

interface Fault {
  readonly operation: DiskOperation;
  readonly code: DiskErrorCode;
}

export async function breakDisk({ size, turns, random, cluster }: Stage, { operation, code }: Fault): Promise<void> {
  const broken = random.below(size);
  const { start, progress, until, run, node, peer, members, checks, mark } = cluster();
  start();
  await progress(3, 10_000);
  await run(random.below(300));
  mark(`${operation} fails on ${broken}`);
  checks.mayExit(peer(broken));
  node(broken).disk.failWhen((call) => (call.operation === operation ? code : undefined));
  await until('it stops', () => !node(broken).alive, 20_000);
  assert((node(broken).exitReason ?? '').length > 20, `it says why (${node(broken).exitReason})`);
  await progress(
    turns(2),
    60_000,
    members.filter((member) => member !== broken),
  );
  node(broken).disk.failWhen(undefined);
  node(broken).crash(random.pick(['lose-none', 'lose-all', 'subset']));
  node(broken).start();
  await progress(turns(2), 30_000);
}
