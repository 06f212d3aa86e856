/**
 * Simulated node: a persistent disk, and processes on it.
 *
 *   start --> factory(world) --> running --> crash (power cut) or exit --> start ...
 *                                   \--pause--> resume--/
 *
 * The factory creates the node's real code on the world's ports. A crash ends the process's lifetime; the disk loses unsynced data by the
 * crash mode.
 */
import {
  type Clock,
  type Disk,
  type KeyValue,
  type PeerKey,
  silentTelemetry,
  type Telemetry,
  type Transport,
} from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import type { CrashMode } from './crash.ts';
import { createSimDisk, type SimDisk } from './disk.ts';
import type { DiskCallOptions } from './disk-calls.ts';
import { createSimKeyValue, type SimKeyValue } from './key-value.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import type { SimNetwork } from './network.ts';
import type { SeededRandom } from './random.ts';
import type { Simulation } from './simulation.ts';

/** The ports of one process. */
export interface NodeWorld {
  readonly peer: PeerKey;
  /** From 1. */
  readonly incarnation: number;
  readonly lifetime: Lifetime;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly disk: Disk;
  keyValue(name: string): KeyValue;
  readonly transport: Transport;
  /** Under another network key. The caller stops the one that it replaces. */
  transportAs(peer: PeerKey): Transport;
  readonly telemetry: Telemetry;
  /** After a fatal error. Writes survive in the system's cache. */
  exit(reason: string): void;
}

interface SimNodeOptions<Running> {
  readonly peer: PeerKey;
  readonly network: SimNetwork;
  /** Its result is `running`. A rejection is an exit. */
  readonly factory: (world: NodeWorld) => Promise<Running> | Running;
  readonly diskLatencyMs?: DiskCallOptions['latencyMs'];
  readonly clockSkewMs?: number;
  readonly role?: 'validator' | 'full-node';
  readonly telemetry?: (peer: PeerKey) => Telemetry;
}

export interface SimNode<Running> {
  readonly peer: PeerKey;
  readonly disk: SimDisk;
  store(name: string): SimKeyValue;
  /** Undefined until the factory has resolved, and after a crash or exit. */
  readonly running: Running | undefined;
  readonly alive: boolean;
  /** A power cut may lose something of its disk and stores. */
  readonly hasUnsynced: boolean;
  /** Of the last process. */
  readonly exitReason: string | undefined;
  readonly incarnation: number;
  start(): void;
  /** A power cut. */
  crash(mode: CrashMode): void;
  /** All timers and frames come when it resumes. Peers see only that it stops sending. */
  pause(): void;
  resume(): void;
  /** The wall clock's offset, in one jump. */
  setClock(skewMs: number): void;
}

/** Between a resumed process's actions, which take processor time. */
const RESUMED_ACTION_INTERVAL_MS = 0.05;

export function createSimNode<Running>(simulation: Simulation, options: SimNodeOptions<Running>): SimNode<Running> {
  const { peer, network, factory, clockSkewMs = 0, role = 'validator', telemetry = () => silentTelemetry } = options;
  const random = simulation.random(`node/${peer}`);
  const schedule = (delayMs: number, action: () => void) => {
    simulation.schedule(delayMs, action);
  };
  const disk = createSimDisk({
    random: random.fork('disk'),
    schedule,
    ...(options.diskLatencyMs === undefined ? {} : { latencyMs: options.diskLatencyMs }),
    observe: ({ operation, path, bytes }) => simulation.emit({ type: 'disk', node: peer, operation, path, bytes }),
  });
  const stores = new Map<string, SimKeyValue>();
  let lifetime: Lifetime | undefined;
  let running: Running | undefined;
  let exitReason: string | undefined;
  let incarnation = 0;
  let skewMs = clockSkewMs;

  function store(name: string): SimKeyValue {
    let found = stores.get(name);
    if (found === undefined) {
      found = createSimKeyValue({
        random: random.fork(`store/${name}`),
        schedule,
        observe: ({ operations, synced }) => simulation.emit({ type: 'store', node: peer, operations, synced }),
      });
      stores.set(name, found);
    }
    return found;
  }

  function worldOf(process: Lifetime): NodeWorld {
    return {
      peer,
      incarnation,
      lifetime: process,
      clock: simulation.clock({ node: peer, lifetime: process, skewMs: () => skewMs }),
      random: random.fork(`process/${incarnation}`),
      disk: disk.mount(process),
      keyValue: (name) => store(name).mount(process),
      transport: network.transport(peer, { lifetime: process, role }),
      transportAs: (other) => network.transport(other, { lifetime: process, role }),
      telemetry: telemetry(peer),
      exit: (reason) => exit(process, reason),
    };
  }

  function exit(process: Lifetime, reason: string): void {
    if (!process.alive) return;
    exitReason = reason;
    endProcess();
    simulation.emit({ type: 'exited', node: peer, reason });
  }

  function endProcess(): void {
    lifetime?.end();
    lifetime = undefined;
    running = undefined;
  }

  function start(): void {
    assert(lifetime === undefined, 'one process of a node at a time');
    const process = createLifetime();
    lifetime = process;
    exitReason = undefined;
    incarnation++;
    simulation.emit({ type: 'started', node: peer, incarnation });
    void startCode(process);
  }

  async function startCode(process: Lifetime): Promise<void> {
    try {
      const started = await factory(worldOf(process));
      if (process.alive) running = started;
    } catch (cause) {
      exit(process, cause instanceof Error ? cause.message : String(cause));
    }
  }

  function crash(mode: CrashMode): void {
    endProcess();
    disk.crash(mode);
    for (const each of stores.values()) each.crash(mode);
    simulation.emit({ type: 'crashed', node: peer, mode });
  }

  return {
    peer,
    disk,
    store,
    get running() {
      return running;
    },
    get alive() {
      return lifetime !== undefined;
    },
    get hasUnsynced() {
      return disk.hasUnsynced || [...stores.values()].some((each) => each.hasUnsynced);
    },
    get exitReason() {
      return exitReason;
    },
    get incarnation() {
      return incarnation;
    },
    start,
    crash,
    pause: () => lifetime?.pause(),
    resume() {
      for (const [index, action] of (lifetime?.resume() ?? []).entries())
        schedule(index * RESUMED_ACTION_INTERVAL_MS, action);
    },
    setClock(ms) {
      skewMs = ms;
    },
  };
}
