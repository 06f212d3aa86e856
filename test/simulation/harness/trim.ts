/**
 * Trims reduce the faults of a run.
 *
 *   faults=3,7; liars=2; calm=loss,jitter; hurry=0.25
 *
 * Faults are numbered as the scenario creates them, skipped ones too, so that a number means the same fault in every trim. Healing always
 * happens.
 */
import { constantLatency, type SimNetwork, type SimNetworkOptions, type SimNode } from '@slipstream/simulator';

export const NOISES = ['loss', 'duplicates', 'reordering', 'jitter'] as const;
export type Noise = (typeof NOISES)[number];

export interface Trim {
  /** Undefined: all happen. */
  readonly faults?: readonly number[];
  /** Undefined: all of the scenario lie. */
  readonly liars?: readonly number[];
  /** Switched off. */
  readonly calm?: readonly Noise[];
  /** Of the scenario's waiting times. */
  readonly hurry?: number;
}

export interface MadeFault {
  readonly number: number;
  readonly atMs: number;
  readonly what: string;
}

export interface FaultGate {
  readonly trim: Trim;
  readonly made: readonly MadeFault[];
  readonly noises: Set<Noise>;
  /** True: the fault is to happen. */
  permit(atMs: number, what: string): boolean;
}

export function createFaultGate(trim: Trim = {}): FaultGate {
  const kept = trim.faults && new Set(trim.faults);
  const made: MadeFault[] = [];
  let next = 1;
  return {
    trim,
    made,
    noises: new Set(),
    permit(atMs, what) {
      const number = next++;
      if (kept?.has(number) === false) return false;
      made.push({ number, atMs, what });
      return true;
    },
  };
}

/** Half of a link's usual delay. */
const CALM_LATENCY_MS = 5;

export function calmed(options: SimNetworkOptions, { trim: { calm = [] }, noises }: FaultGate): SimNetworkOptions {
  const quiet: SimNetworkOptions[] = [];
  function take(noise: Noise, isThere: boolean, without: SimNetworkOptions): void {
    if (!isThere) return;
    noises.add(noise);
    if (calm.includes(noise)) quiet.push(without);
  }
  take('loss', (options.lossRate ?? 0) > 0, { lossRate: 0 });
  take('duplicates', (options.duplicateRate ?? 0) > 0, { duplicateRate: 0 });
  take('reordering', (options.reorderRate ?? 0) > 0, { reorderRate: 0 });
  take('jitter', options.latency !== undefined, { latency: constantLatency(CALM_LATENCY_MS) });
  return Object.assign({}, options, ...quiet);
}

export function gatedNetwork(
  network: SimNetwork,
  gate: FaultGate,
  now: () => number,
  nameOf: (peer: string) => string,
) {
  const pair = (from: string, to: string) => `${nameOf(from)} to ${nameOf(to)}`;
  const gated: SimNetwork = {
    transport: (peer, options) => network.transport(peer, options),
    setLink: (from, to, faults) => network.setLink(from, to, faults),
    slowReader: (peer, bytesPerMs) => network.slowReader(peer, bytesPerMs),
    heal: (a, b) => network.heal(a, b),
    healAll: () => network.healAll(),
    tap: (listener) => network.tap(listener),
    cut(a, b) {
      if (gate.permit(now(), `cut ${pair(a, b)}`)) network.cut(a, b);
    },
    dropFrames(from, to) {
      if (gate.permit(now(), `no frames from ${pair(from, to)}`)) network.dropFrames(from, to);
    },
    partition(groups) {
      const named = groups.map((group) => group.map(nameOf).join(',')).join(' | ');
      if (gate.permit(now(), `partition ${named}`)) network.partition(groups);
    },
    setAllLinks(faults) {
      const { lossRate = 0 } = faults;
      const lossy = lossRate > 0 && gate.permit(now(), `${Math.round(100 * lossRate)} percent of all frames are lost`);
      network.setAllLinks({ ...calmed(faults, gate), ...(lossRate > 0 && !lossy ? { lossRate: 0 } : {}) });
    },
  };
  return gated;
}

export function gatedNode<Running>(
  node: SimNode<Running>,
  gate: FaultGate,
  now: () => number,
  name: string,
): SimNode<Running> {
  return {
    peer: node.peer,
    disk: node.disk,
    store: (of) => node.store(of),
    get running() {
      return node.running;
    },
    get alive() {
      return node.alive;
    },
    get hasUnsynced() {
      return node.hasUnsynced;
    },
    get exitReason() {
      return node.exitReason;
    },
    get incarnation() {
      return node.incarnation;
    },
    start() {
      // Its crash was skipped.
      if (gate.trim.faults === undefined || !node.alive) node.start();
    },
    crash(mode) {
      if (gate.permit(now(), `crash of ${name}, unsynced bytes: ${mode}`)) node.crash(mode);
    },
    pause() {
      if (gate.permit(now(), `pause of ${name}`)) node.pause();
    },
    resume: () => node.resume(),
    setClock(skewMs) {
      if (skewMs === 0 || gate.permit(now(), `clock of ${name} set off by ${skewMs} ms`)) node.setClock(skewMs);
    },
  };
}

/** As on the command line; the empty text trims nothing. */
export function formatTrim({ faults, liars, calm, hurry }: Trim): string {
  const numbers = (of: readonly number[]) => (of.length === 0 ? 'none' : of.join(','));
  return [
    ...(faults ? [`faults=${numbers(faults)}`] : []),
    ...(liars ? [`liars=${numbers(liars)}`] : []),
    ...(calm && calm.length > 0 ? [`calm=${calm.join(',')}`] : []),
    ...(hurry === undefined ? [] : [`hurry=${hurry}`]),
  ].join(';');
}

/** Throws RangeError with the fault. */
export function parseTrim(text: string): Trim {
  const trim: { -readonly [K in keyof Trim]: Trim[K] } = {};
  for (const part of text.split(';').filter((each) => each !== '')) {
    const [name, value = ''] = part.split('=');
    const items = value === 'none' ? [] : value.split(',');
    switch (name) {
      case 'faults':
      case 'liars':
        if (!items.every((item) => /^[0-9]+$/.test(item)))
          throw new RangeError(`--trim ${name} takes numbers, not "${value}"`);
        trim[name] = items.map(Number);
        break;
      case 'calm': {
        const noises = NOISES.filter((noise) => items.includes(noise));
        if (noises.length !== items.length)
          throw new RangeError(`--trim calm takes ${NOISES.join(', ')}, not "${value}"`);
        trim.calm = noises;
        break;
      }
      case 'hurry':
        trim.hurry = Number(value);
        if (!(trim.hurry > 0 && trim.hurry <= 1))
          throw new RangeError(`--trim hurry is above 0, at most 1, not "${value}"`);
        break;
      default:
        throw new RangeError(`--trim takes faults, liars, calm and hurry, not "${name}"`);
    }
  }
  return trim;
}
