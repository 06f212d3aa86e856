import { assert } from '@slipstream/primitives';
import type { SeededRandom, SimDisk } from '@slipstream/simulator';
import { SIGN_STATE_FILE, WAL_FOLDER } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';

type Damage = (bytes: Uint8Array, random: SeededRandom) => Uint8Array | undefined;

/** Undefined: deleted. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut at a byte': (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  'with a bit flipped': (bytes, random) => {
    const flipped = bytes.slice();
    const at = random.below(bytes.length);
    flipped[at] = (flipped[at] as number) ^ (1 << random.below(8));
    return flipped;
  },
  'with a tail of zeros': (bytes, random) => bytes.slice().fill(0, random.below(bytes.length)),
  'with zeros behind it': (bytes, random) => {
    const longer = new Uint8Array(bytes.length + 1 + random.below(8192));
    longer.set(bytes);
    return longer;
  },
  'taken away': () => undefined,
};

function damage(disk: SimDisk, random: SeededRandom): string {
  const segments = disk.paths().filter((path) => path.startsWith(WAL_FOLDER));
  const newest = segments.sort().at(-1) as string;
  // Mostly the newest segment, whose contents are unknown.
  const path = random.pick([newest, newest, newest, random.pick(segments), SIGN_STATE_FILE]);
  const name = random.pick(Object.keys(DAMAGES));
  const bytes = disk.contents(path) as Uint8Array;
  const changed = bytes.length === 0 ? undefined : (DAMAGES[name] as Damage)(bytes, random);
  if (changed === undefined) disk.removeContents(path);
  else disk.replaceContents(path, changed);
  return `${path} ${name}`;
}

export const damagedDisk: Scenario = {
  name: 'damaged-disk',
  about:
    'Synced bytes of a log or sign state are cut, flipped, zeroed or lost: the validator reports it and stops, or signs nothing twice.',
  async play({ size, turns, random, cluster }) {
    const { start, progress, run, node, peer, members, checks, mark } = cluster();
    // Only one member: a node that lost its signatures refuses to sign, and of four only one may.
    const victim = random.below(size);
    const others = members.filter((member) => member !== victim);
    start();
    for (let round = 0; round < 3; round++) {
      await progress(2 + random.below(20), 60_000, others);
      await run(random.below(300));
      node(victim).crash('lose-none');
      checks.filesLost(peer(victim));
      checks.mayExit(peer(victim));
      mark(`${victim}: ${damage(node(victim).disk, random)}`);
      node(victim).start();
      await progress(turns(2), 60_000, others);
      if (node(victim).alive) continue;
      const { exitReason = '' } = node(victim);
      mark(`${victim} stopped: ${exitReason}`);
      assert(/wal|log|sign-state|copy/.test(exitReason) && exitReason.length > 40, `it says why ("${exitReason}")`);
      return; // its operator must act
    }
  },
};
