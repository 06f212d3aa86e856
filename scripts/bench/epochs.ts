/**
 * The `epochs` bench: handovers, by which clients and joining nodes follow the committee, and boundaries of real nodes.
 *
 *   part `handovers`:  their size, and the time that following them takes
 *   part `boundaries`: the delay that the end of an epoch adds (epochs/boundaries.ts)
 *
 * Every member has a new key in every epoch: the largest handovers, and no key is decoded twice. The time is from serialized handovers to
 * the newest committee, with all signatures checked.
 */
import { createInlineVerifier } from '@slipstream/crypto/native';
import { committeeOf, followHandovers, type Handover, handoverCodec } from '@slipstream/types';
import { type EpochChain, epochChain } from '../../packages/crypto/test/epoch-chain.ts';
import { type BenchOptions, type Claim, claim, printRows, quantile, timed } from './claim.ts';
import { boundaryClaims } from './epochs/boundaries.ts';

export const parts = ['handovers', 'boundaries'];

const RUNS = 5;

export async function run({ smoke, part }: BenchOptions): Promise<Claim[]> {
  const handovers = part === 'boundaries' ? [] : await handoverClaims(smoke);
  // Starting processes takes longer than a smoke of all benches may.
  const isPlayed = part === 'boundaries' || (part === undefined && !smoke);
  return [...handovers, ...(isPlayed ? await boundaryClaims(smoke) : [])];
}

async function handoverClaims(smoke: boolean): Promise<readonly Claim[]> {
  const [epochs, epochsOf100] = smoke ? [10, 2] : [1000, 100];
  const four = await chainOf(4, epochs);
  const hundred = await chainOf(100, epochsOf100);
  const runs = smoke ? 1 : RUNS;
  const claims = [
    claim('handover_bytes_n4', largest(four), 'bytes', epochs),
    claim('handover_bytes_n100', largest(hundred), 'bytes', epochsOf100),
    claim('verify_1000_epochs_seconds', await secondsOf(four, runs), 's', runs),
    claim('verify_100_epochs_n100_seconds', await secondsOf(hundred, runs), 's', runs),
  ];
  printRows(
    `${epochs} handovers of 4 members, ${epochsOf100} of 100`,
    claims.map(({ name, value, unit }) => [name, value, unit] as const),
  );
  return claims;
}

const chainOf = (members: number, epochs: number): Promise<EpochChain> =>
  epochChain(`bench of ${members}`, { members, epochs, rotations: () => members });

function largest({ handovers }: EpochChain): number {
  return Math.max(...handovers.map((handover) => handoverCodec.encode(handover).length));
}

/** Median. */
async function secondsOf(chain: EpochChain, runs: number): Promise<number> {
  const serialized = chain.handovers.map((handover) => handoverCodec.encode(handover));
  const samples: number[] = [];
  for (let at = 0; at < runs; at++) {
    samples.push(await timed(() => follow(chain, serialized)));
  }
  return quantile(samples, 0.5) / 1000;
}

async function follow({ genesis, genesisHash, handovers }: EpochChain, serialized: readonly Uint8Array[]) {
  const { verifier } = createInlineVerifier({ committees: [] });
  const decoded = serialized.map(decode);
  const followed = await followHandovers(genesisHash, committeeOf(genesis), decoded, (batch) =>
    verifier.checkBatch(batch, 'client'),
  );
  if (!followed.ok || followed.value.length !== handovers.length) throw new Error('the handovers of the bench hold');
}

function decode(bytes: Uint8Array): Handover {
  const decoded = handoverCodec.decode(bytes);
  if (!decoded.ok) throw decoded.error;
  return decoded.value;
}
