import { attachHostilePeers } from '../../test/chaos/hostile/attach.ts';
import type { FaultKind } from './fault-kind.ts';
import { LINK_FAULTS, pickSome } from './link-faults.ts';
import { upstreamOf } from './upstream.ts';

const HOUR_MS = 3_600_000;
/** After the hold: a validator writes at least once per second. */
const FULL_DISK_STOP_MS_MAX = 10_000;
const SLOW_SYNC_MS_LEAST = 50;
const SLOW_SYNC_MS_MAX = 400;

const PROCESS_FAULTS: readonly FaultKind[] = [
  {
    kind: 'kill',
    about: 'kill -9 of some validators, and a restart',
    draw: (random, { validators }) => ({
      victims: pickSome(random, validators, 1 + random.below(Math.ceil(validators.length / 2))),
      values: {},
    }),
    async inject(site, { victims }) {
      await site.kill(victims);
      return () => site.revive(victims);
    },
  },
  {
    kind: 'restart-all',
    about: 'kill -9 of every node at once, and a restart',
    draw: (_random, { validators }) => ({ victims: validators, values: {} }),
    async inject(site) {
      const names = site.cluster.nodes.map(({ name }) => name);
      await site.kill(names);
      return () => site.revive(names);
    },
  },
  {
    kind: 'pause',
    about: 'SIGSTOP of some validators, and SIGCONT',
    draw: (random, { validators }) => ({
      victims: pickSome(random, validators, 1 + random.below(Math.ceil(validators.length / 2))),
      values: {},
    }),
    async inject({ cluster }, { victims }) {
      const processes = victims.map((name) => cluster.node(name).process);
      for (const process of processes) process.pause();
      return () => {
        for (const process of processes) process.resume();
      };
    },
  },
  {
    kind: 'clock',
    about: 'the wall clock of one validator moved by an hour, back or forth, while it runs',
    draw: (random, { validators }) => ({
      victims: [random.pick(validators)],
      values: { offsetMs: random.chance(0.5) ? HOUR_MS : -HOUR_MS },
    }),
    async inject({ clocks }, { victims, values }) {
      for (const victim of victims) clocks.move(victim, values.offsetMs ?? 0);
      return () => {
        for (const victim of victims) clocks.move(victim, 0);
      };
    },
  },
  {
    kind: 'slow-disk',
    about: 'each sync of some validators takes 50 to 400 ms longer',
    draw: (random, { validators }) => ({
      victims: pickSome(random, validators, 1 + random.below(Math.ceil(validators.length / 2))),
      values: { delayMs: SLOW_SYNC_MS_LEAST + random.below(SLOW_SYNC_MS_MAX - SLOW_SYNC_MS_LEAST) },
    }),
    async inject({ disks }, { victims, values }) {
      for (const victim of victims) disks.slow(victim, values.delayMs ?? 0);
      return () => {
        for (const victim of victims) disks.slow(victim, 0);
      };
    },
  },
  {
    kind: 'disk-full',
    about: "one validator's disk filled to the last byte; it must stop by itself, and start when there is room",
    draw: (_random, { smallDiskNode }) => ({ victims: [smallDiskNode], values: {} }),
    unavailable: ({ smallDisk }) => (smallDisk === undefined ? 'no small disk can be mounted here' : undefined),
    async inject(site, { victims }) {
      for (const victim of victims) site.expectDeath(victim);
      site.smallDisk?.fill();
      return async () => {
        const died = await Promise.all(victims.map((victim) => site.untilDead(victim, FULL_DISK_STOP_MS_MAX)));
        site.smallDisk?.free();
        site.revive(victims);
        if (died.includes(false)) throw new Error('a validator with a full disk went on running');
      };
    },
  },
  {
    kind: 'upstream',
    about: 'kill -9 of the validator that the full node follows; the full node must go on from another',
    draw: () => ({ victims: [], values: {} }),
    unavailable: ({ fullNode }) => (fullNode === undefined ? 'there is no full node' : undefined),
    async inject(site) {
      const upstream = await upstreamOf(site);
      if (upstream === undefined) return;
      await site.kill([upstream]);
      return () => site.revive([upstream]);
    },
  },
  {
    kind: 'hostile',
    about: 'peers with unknown keys and half-open connections storm one validator, on both its ports',
    draw: (random, { validators }) => ({ victims: [random.pick(validators)], values: {} }),
    async inject({ cluster }, { victims }) {
      const attacks = await Promise.all(victims.map((victim) => attachHostilePeers(cluster.node(victim))));
      return async () => {
        await Promise.all(attacks.map((attack) => attack.stop()));
      };
    },
  },
];

export const FAULT_KINDS: readonly FaultKind[] = [...PROCESS_FAULTS, ...LINK_FAULTS];
