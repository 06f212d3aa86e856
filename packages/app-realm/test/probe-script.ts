/** Scripts as the build makes them, by hand: a program of one action and one query whose bodies a test writes. */
import { ABSENT, type ApplicationManifest, type Host } from '@slipstream/app/program';
import { loadScript, type MeteredProgram } from '../src/index.ts';

export const MANIFEST: ApplicationManifest = {
  kitVersion: 1,
  name: 'probe',
  version: 1,
  actions: [
    {
      name: 'run',
      number: 3,
      input: { form: 'record', fields: [] },
      units: {
        fixed: { compute: 1, reads: 0, writes: 0, bytes: 0 },
        perInputKiB: { compute: 0, reads: 0, writes: 0, bytes: 0 },
      },
      declaresUnits: true,
      declaresKeys: false,
      parallel: false,
    },
  ],
  events: [],
  queries: [{ name: 'ask', input: { form: 'record', fields: [] }, output: { form: 'record', fields: [] } }],
  tables: [],
  invariants: [],
};

export const ACTION = 3;

export interface Bodies {
  /** Sees `host`, `context`, `input`, `tick()`; returns a result. */
  readonly call?: string;
  readonly query?: string;
  /** Statements while the script is loaded. */
  readonly load?: string;
  readonly manifest?: ApplicationManifest;
}

const SUCCESS = "return { status: 'success' };";
const OUTPUT = "return { status: 'success', output: input };";

export function probeScript({ call = SUCCESS, query = OUTPUT, load = '', manifest = MANIFEST }: Bodies = {}): string {
  return `'use strict';
(() => {
let ticks = 1000000;
const interruption = Object.freeze({ interrupts: true });
const tick = () => { if (--ticks < 0) throw interruption; };
let host;
const failed = (code) => ({ status: 'failed', code: String(code) });
${load}
const program = {
  manifest: ${JSON.stringify(manifest)},
  use(given) { host = given; },
  declare(action, context, input) { host.key(1, input, input.length); return true; },
  call(action, context, input) { ${call} },
  query(name, input) { ${query} },
  genesis(input) { return { status: input.length === 0 ? 'success' : 'bad-input' }; },
  invariants() { return ['sum']; },
};
return { program, setTicks: (n) => { ticks = n; }, ticksLeft: () => ticks };
})`;
}

export const CONTEXT = {
  sender: new Uint8Array(33).fill(7),
  transactionId: new Uint8Array(32).fill(9),
  timeMs: 1_700_000_000_000,
  height: 12,
} as const;

export const INPUT = new Uint8Array([1, 2, 3]);

/** A host that has one value and remembers what it was given. */
export function createProbeHost(changes: Partial<Host> = {}) {
  const given: Uint8Array[] = [];
  const value = new Uint8Array([5, 6]);
  const host: Host = {
    key: (_table, bytes, length) => given.push(Uint8Array.from(bytes.subarray(0, length))) - 1,
    get(key, into) {
      if (key !== 0) return ABSENT;
      into.set(value.subarray(0, into.length));
      return value.length;
    },
    put: (_key, bytes, length) => void (bytes && given.push(Uint8Array.from(bytes.subarray(0, length)))),
    emit: (_event, body, length) => void given.push(Uint8Array.from(body.subarray(0, length))),
    collect: (label) => given.push(label) > 0,
    pay: (label) => given.push(label) < 0,
    purse: () => new Uint8Array(33),
    sha256: () => new Uint8Array(32),
    ...changes,
  };
  return { host, given, value };
}

/** With ticks and a host. */
export function loadProbe(bodies: Bodies, host: Host = createProbeHost().host): MeteredProgram {
  const program = loadScript(probeScript(bodies), 'probe');
  program.use(host);
  program.setTicks(10_000);
  return program;
}

/** Of a call whose body returns `failed(expression)`. */
export function evaluate(expression: string, host?: Host): string {
  const result = loadProbe({ call: `return failed(${expression});` }, host).call(ACTION, CONTEXT, INPUT);
  return result.status === 'failed' ? result.code : result.status;
}
