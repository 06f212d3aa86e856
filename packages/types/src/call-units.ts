/**
 * Units of calls: what an action of an application declares, in the dimensions of fees (applications.md).
 *
 * They follow from a call's bytes and the manifest, which is part of genesis, so that every thread of every node, and wallets, know them
 * without running the application.
 */
import type { Call } from './actions/call.ts';
import type { Units } from './units.ts';

export type UnitsOfCalls = (call: Call) => Units;

interface DeclaredUnits {
  /** 256 ticks each. */
  readonly compute: number;
  /** Keys read. */
  readonly reads: number;
  /** Keys put or deleted. */
  readonly writes: number;
  /** Of values put, and of events. */
  readonly bytes: number;
}

/** Of an application's manifest. */
interface CallableApplication {
  readonly name: string;
  readonly actions: readonly {
    readonly number: number;
    readonly units: { readonly fixed: DeclaredUnits; readonly perInputKiB: DeclaredUnits };
  }[];
}

/** Into the realm and back. */
const CALL_COMPUTE = 5;
/** 256 ticks take what two units of built-in actions take (docs/performance/units.md). */
const DECLARED_COMPUTE = 2;
/** Of input: what decoding it takes beyond its ticks. */
const COMPUTE_UNIT_BYTES = 192;
/** A key has 60 bytes at most, and a balance 8 more than an application sees. */
const KEY_ALLOCATE_BYTES = 68;
const KEY_WRITE = 2;
const WRITE_UNIT_BYTES = 64;
const KIB = 1024;

/** Of a call that no application answers. */
const UNANSWERED: Units = [0, CALL_COMPUTE, 0, 0, 0];

export const unitsWithoutApplications: UnitsOfCalls = () => UNANSWERED;

export function unitsOfCallsTo(applications: readonly CallableApplication[]): UnitsOfCalls {
  const actions = new Map(
    applications.map(({ name, actions: own }) => [name, new Map(own.map(({ number, units }) => [number, units]))]),
  );
  return ({ application, action, input: { length } }) => {
    const units = actions.get(application)?.get(action);
    return units === undefined ? UNANSWERED : inDimensions(limitsOfCall(units, length), length);
  };
}

type ActionUnits = CallableApplication['actions'][number]['units'];

/** The most that an action may use, with this many bytes of input. */
export function limitsOfCall({ fixed, perInputKiB }: ActionUnits, inputBytes: number): DeclaredUnits {
  const kib = Math.ceil(inputBytes / KIB);
  return {
    compute: fixed.compute + kib * perInputKiB.compute,
    reads: fixed.reads + kib * perInputKiB.reads,
    writes: fixed.writes + kib * perInputKiB.writes,
    bytes: fixed.bytes + kib * perInputKiB.bytes,
  };
}

/** Compute of a call, in units of fees. */
export function callCompute(declared: number, inputBytes: number): number {
  return CALL_COMPUTE + DECLARED_COMPUTE * declared + Math.ceil(inputBytes / COMPUTE_UNIT_BYTES);
}

function inDimensions({ compute, reads, writes, bytes }: DeclaredUnits, inputBytes: number): Units {
  const written = KEY_WRITE * writes + Math.ceil(bytes / WRITE_UNIT_BYTES);
  // A key that is put and not read is read for it.
  return [0, callCompute(compute, inputBytes), reads + writes, KEY_ALLOCATE_BYTES * writes + bytes, written];
}
