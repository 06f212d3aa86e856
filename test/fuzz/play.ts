import { toHex } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import type { Decoder } from './decoder.ts';
import { mutate } from './mutate.ts';

/** A refusal is for an operator or the wire: short, whatever the bytes are. */
const REFUSAL_CHARS_MAX = 400;

export interface FuzzResult {
  readonly name: string;
  readonly played: number;
  readonly taken: number;
  /** Wall time, with other programs. */
  readonly slowestMs: number;
  readonly faults: readonly string[];
}

const FAULTS_MAX = 5;

/** Valid samples first: they must be accepted. */
export function fuzz(decoder: Decoder, count: number, seed: number | string, nowMs: () => number): FuzzResult {
  const random = createRandom(`fuzz/${decoder.name}/${seed}`);
  const faults: string[] = [];
  let taken = 0;
  let slowestMs = 0;
  const tell = (what: string, bytes: Uint8Array) => faults.push(`${what}: ${toHex(bytes)}`);
  for (const sample of decoder.samples) {
    const { taken: isTaken, fault = isTaken ? undefined : 'refuses a sound sample' } = decoder.judge(sample);
    if (fault !== undefined) tell(fault, sample);
  }
  for (let played = 0; played < count && faults.length < FAULTS_MAX; played++) {
    const damaged = mutate(random.pick(decoder.samples), random.pick(decoder.samples), random);
    const bytes = decoder.reseal && random.below(2) === 0 ? decoder.reseal(damaged) : damaged;
    const before = bytes.slice();
    const startMs = nowMs();
    const fault = judged(decoder, bytes);
    slowestMs = Math.max(slowestMs, nowMs() - startMs);
    if (fault === 'taken') taken += 1;
    else if (fault !== undefined) tell(fault, before);
  }
  return { name: decoder.name, played: count, taken, slowestMs, faults };
}

/** 'taken', undefined for a refusal with a message, or the fault. */
function judged(decoder: Decoder, bytes: Uint8Array): string | undefined {
  try {
    const { taken, refusal, fault } = decoder.judge(bytes);
    if (fault !== undefined) return fault;
    if (taken) return 'taken';
    if (refusal === undefined || refusal === '') return 'refuses without a word';
    return refusal.length > REFUSAL_CHARS_MAX ? `refuses in ${refusal.length} characters` : undefined;
  } catch (error) {
    return `throws ${error instanceof Error ? error.message : String(error)}`;
  }
}
