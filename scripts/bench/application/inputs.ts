/**
 * Random inputs to each example's actions, on a realm that all of them use and on realms that ran nothing before: writes, receipts and
 * ticks are equal.
 *
 *   used realm    all blocks          \
 *                                      equal batches, receipts, ticks left --> both chains go on
 *   fresh realms  one for each block  /
 *
 * A block has from one to FRESH_CALLS_MAX calls, so that a new realm meets the first of them without any call before, and the others after any
 * few; making realms does not take most of the time. One input in sixteen has a changed byte.
 */
import { createManifestJson } from '@slipstream/app/program';
import { type Artifact, artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { type Applications, createApplications } from '@slipstream/execution';
import { bytesEqual, to0x } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import { accountKeyText, type PreparedTransaction } from '@slipstream/types';
import fc from 'fast-check';
import { account } from '../../../packages/execution/test/builders.ts';
import type { Example } from './examples.ts';
import { jsonOf, SEED_MAX } from './random-json.ts';
import { type BenchChain, createBenchChain, type Measured, prepared } from './world.ts';

const FRESH_CALLS_MAX = 79;
const CHANGED_EACH = 16;
/** Drawn at once. */
const DRAWN = 1_000;

export interface InputsChecked {
  readonly inputs: number;
  readonly succeeded: number;
}

/** Throws at the first block that differs, with its inputs. */
export function checkInputs(example: Example, count: number): InputsChecked {
  const { artifact } = example.built;
  const decoded = decodeArtifact(artifact);
  if (!decoded.ok) throw decoded.error;
  const used = openRealm(decoded.value, artifact);
  const fresh = { open: openRealm(decoded.value, artifact) };
  const chainOf = (applications: Applications): BenchChain =>
    createBenchChain(SEED_MAX + 1, [example.listed], applications);
  const usedChain = chainOf(used.applications);
  const inNewest: Applications = {
    ...fresh.open.applications,
    call: (...call) => fresh.open.applications.call(...call),
    under: () => inNewest,
  };
  const freshChain = chainOf(inNewest);
  const draw = drawInputs(example);
  const lengths = createRandom(`blocks of ${example.built.name}`);
  let [inputs, succeeded] = [0, 0];
  while (inputs < count) {
    const block = draw(Math.min(1 + lengths.below(FRESH_CALLS_MAX), count - inputs));
    fresh.open = openRealm(decoded.value, artifact);
    const [one, other] = [usedChain, freshChain].map((chain) => chain.execute(block, noClock)) as [Measured, Measured];
    if (used.ticksLeft() !== fresh.open.ticksLeft() || !isEqual(one, other)) throw differenceOf(example, inputs, block);
    inputs += block.length;
    succeeded += one.executed.stats.transactions - one.executed.stats.failed;
  }
  return { inputs, succeeded };
}

const noClock = (): number => 0;

function openRealm(artifact: Artifact, bytes: Uint8Array) {
  const program = loadProgram(artifact);
  return { applications: createApplications([{ hash: artifactHash(bytes), program }]), ticksLeft: program.ticksLeft };
}

function isEqual({ executed: a }: Measured, { executed: b }: Measured): boolean {
  return (
    bytesEqual(a.batch.bytes, b.batch.bytes) &&
    a.receiptBytes.length === b.receiptBytes.length &&
    a.receiptBytes.every((bytes, i) => bytesEqual(bytes, b.receiptBytes[i] as Uint8Array))
  );
}

function differenceOf({ name }: Example, first: number, block: readonly PreparedTransaction[]): Error {
  const calls = block.map(({ transaction }) => JSON.stringify(transaction?.body.actions, textOfBytes)).join('\n');
  return new Error(`${name}: inputs from ${first} on give other results in a new realm than in a used one:\n${calls}`);
}

const textOfBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;

function drawInputs({ built: { artifact, name } }: Example) {
  const decoded = decodeArtifact(artifact);
  if (!decoded.ok) throw decoded.error;
  const { manifest } = decoded.value;
  const json = createManifestJson(manifest);
  const random = createRandom(`inputs of ${name}`);
  const any = fc
    .constantFrom(...manifest.actions)
    .chain(({ number, input }) => jsonOf(input).map((value) => ({ number, value })));
  const recent: Uint8Array[] = [];
  let drawn: readonly { readonly number: number; readonly value: unknown }[] = [];
  let at = 0;
  return (count: number): readonly PreparedTransaction[] =>
    Array.from({ length: count }, () => {
      if (at === drawn.length) {
        drawn = fc.sample(any, { numRuns: DRAWN, seed: random.below(2 ** 31) });
        at = 0;
      }
      const { number: action, value } = drawn[at++] as (typeof drawn)[number];
      const input = json.inputFromJson(action, onChain(value, recent));
      if (input.length > 0 && random.below(CHANGED_EACH) === 0) input[random.below(input.length)] = random.below(256);
      const call = prepared(1 + random.below(SEED_MAX + 1), { kind: 'call', application: name, action, input });
      recent.unshift(call.id);
      recent.splice(IDS);
      return call;
    });
}

/** Ids that inputs name: of the transactions before. */
const IDS = 21;
const ID_TEXT = /^0x(?:01)?([0-9a-f]{2})\1{31}$/;
const ACCOUNT_TEXT_LENGTH = 68;

/** Random accounts become those of the chain, random ids those of transactions. */
function onChain(value: unknown, recent: readonly Uint8Array[]): unknown {
  if (Array.isArray(value)) return value.map((each) => onChain(each, recent));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, onChain(each, recent)]));
  const seed = typeof value === 'string' ? ID_TEXT.exec(value)?.[1] : undefined;
  if (typeof value !== 'string' || seed === undefined) return value;
  const number = Number.parseInt(seed, 16);
  if (value.length === ACCOUNT_TEXT_LENGTH) return accountKeyText(account(1 + number));
  const id = recent[number];
  return id === undefined ? value : to0x(id);
}
