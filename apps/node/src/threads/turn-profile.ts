/**
 * Profile of a thread's event loop, for development: turns and their processor time, by what began them.
 *
 *   socket, timer, message, disk --> turn of a kind --> named again by its receiver (turn), or a part of it named apart (within)
 *
 * Time goes to the kind in force. The kernel updates a thread's processor time at switches of threads alone: what it then adds is divided
 * among the kinds since the last update, by elapsed time without the waits of the loop.
 *
 * Promises are not tracked, which would slow the thread: their reactions belong to the turn in which they run.
 */
import { AsyncResource, createHook, type HookCallbacks } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { getCallSites } from 'node:util';

export interface TurnProfile {
  /** Names the current turn, up to its end. */
  turn(kind: string): void;
  /** Counts a part of the current turn apart. */
  within<T>(kind: string, work: () => T): T;
  /** Since the last call. */
  take(): readonly TurnCost[];
  stop(): void;
}

interface TurnCost {
  readonly kind: string;
  readonly count: number;
  /** Of processor. */
  readonly ms: number;
}

interface Cost {
  count: number;
  ms: number;
  /** Elapsed since the last update of the processor time. */
  elapsedMs: number;
}

/** More mean names with numbers in them. */
const KINDS_MAX = 300;
const OTHERS = 'others';
const START = 'start';
const OWN = 'this profile';
/** Of what was there before. */
const EARLIER = 'earlier resource';
/** They run within a turn. */
const WITHIN_TURNS: ReadonlySet<string> = new Set([
  'PROMISE',
  'TickObject',
  'Microtask',
  'HTTPINCOMINGMESSAGE',
  'HTTPCLIENTREQUEST',
]);
const NAMES: Readonly<Record<string, string>> = {
  TCPWRAP: 'socket',
  TCPSERVERWRAP: 'new connection',
  WRITEWRAP: 'socket written',
  Timeout: 'timer',
  Immediate: 'next turn',
  MESSAGEPORT: 'message',
  WORKER: 'thread',
  FSREQCALLBACK: 'disk',
  FSREQPROMISE: 'disk',
};
/** Of these the creator is named too. */
const WITH_CREATOR: ReadonlySet<string> = new Set(['timer', 'next turn', 'message', 'disk']);
const FRAMES_MAX = 16;
const SOURCE = /\/(?:packages|apps)\/([^/]+)\/src\/(.+)\.[a-z]+$/;
const LIBRARY = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const THIS_FILE = 'node/threads/turn-profile';
/** All timers and turns come from it. */
const PORTS = /^platform\//;

/** Starts at once. */
export function createTurnProfile(): TurnProfile {
  const costs = new Map<string, Cost>();
  const kinds = new Map<number, string>();
  let current = START;
  let lastMs = performance.now();
  let lastIdleMs = performance.nodeTiming.idleTime;
  let lastCpuUs = cpuUs();
  const firstId = new AsyncResource('TurnProfile').asyncId();

  function costOf(kind: string): Cost {
    const known = costs.get(kind) ?? (costs.size < KINDS_MAX ? undefined : costs.get(OTHERS));
    if (known !== undefined) return known;
    const cost = { count: 0, ms: 0, elapsedMs: 0 };
    costs.set(costs.size < KINDS_MAX ? kind : OTHERS, cost);
    return cost;
  }

  function mark(): void {
    const nowMs = performance.now();
    const { idleTime } = performance.nodeTiming;
    costOf(current).elapsedMs += Math.max(0, nowMs - lastMs - (idleTime - lastIdleMs));
    lastMs = nowMs;
    lastIdleMs = idleTime;
    const nowUs = cpuUs();
    if (nowUs === lastCpuUs) return;
    divide((nowUs - lastCpuUs) / 1_000);
    lastCpuUs = nowUs;
  }

  function divide(cpuMs: number): void {
    let sum = 0;
    for (const { elapsedMs } of costs.values()) sum += elapsedMs;
    if (sum === 0) costOf(current).ms += cpuMs;
    for (const cost of costs.values()) {
      if (sum > 0) cost.ms += (cpuMs * cost.elapsedMs) / sum;
      cost.elapsedMs = 0;
    }
  }

  function begin(kind: string): void {
    mark();
    current = kind;
    costOf(kind).count += 1;
  }

  function within<T>(kind: string, work: () => T): T {
    const outer = current;
    begin(kind);
    try {
      return work();
    } finally {
      mark();
      current = outer;
    }
  }

  const callbacks: HookCallbacks & { readonly trackPromises: false } = {
    init(id, type) {
      if (WITHIN_TURNS.has(type)) return;
      const by = current;
      kinds.set(id, WITH_CREATOR.has(NAMES[type] ?? '') ? within(OWN, () => kindOf(type, by)) : (NAMES[type] ?? type));
    },
    before(id) {
      const kind = kinds.get(id) ?? (id < firstId ? EARLIER : undefined);
      if (kind !== undefined) begin(kind);
    },
    destroy: (id) => void kinds.delete(id),
    trackPromises: false,
  };
  const hook = createHook(callbacks).enable();

  return {
    turn(kind) {
      // What the turn began as is no turn of its own.
      if (costOf(current).count > 0) costOf(current).count -= 1;
      begin(kind);
    },
    within,
    take() {
      mark();
      const taken = [...costs].map(([kind, { count, ms }]) => ({ kind, count, ms }));
      for (const cost of costs.values()) Object.assign(cost, { count: 0, ms: 0 });
      return taken.filter(({ count, ms }) => count > 0 || ms > 0);
    },
    stop: () => void hook.disable(),
  };
}

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** With the file that created it; a timer that is set again within its own turn keeps its kind. */
function kindOf(type: string, current: string): string {
  const scripts = getCallSites(FRAMES_MAX).map(({ scriptName }) => scriptName);
  const sources = scripts.flatMap((script) => {
    const [, place, file] = SOURCE.exec(script) ?? [];
    return place === undefined || `${place}/${file}` === THIS_FILE ? [] : [`${place}/${file}`];
  });
  const library = scripts.map((script) => LIBRARY.exec(script)?.[1]).find((found) => found !== undefined);
  const own = sources.find((source) => !PORTS.test(source));
  const name = `${NAMES[type] ?? type} of `;
  if (library === undefined && own === undefined && current.startsWith(name)) return current;
  return name + (library ?? own ?? sources.at(-1) ?? 'runtime');
}
