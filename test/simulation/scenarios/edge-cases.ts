import { createInlineVerifier } from '@slipstream/crypto/native';
import type { Verifier } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { committeeOf, epochKeysOf } from '@slipstream/types';
import {
  createEdgeCaseWorkload,
  type EdgeCases,
  type EdgeCaseWorkload,
  pinnedEdgeCases,
} from '../harness/edge-cases.ts';
import { lenientVerifier } from '../harness/lenient-verifier.ts';
import { startValidator } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';

const SIZES = [4, 7];
const WITHIN_MS = 240_000;

function honestVerifier({ target }: EdgeCases): Verifier {
  return createInlineVerifier({ committees: [epochKeysOf(committeeOf(target.genesis))] }).verifier;
}

/** Cache sizes and order of checks differ. */
function workloadOf(member: number, pinned: EdgeCases, verifier: Verifier): EdgeCaseWorkload {
  return createEdgeCaseWorkload(pinned, {
    verifier,
    cacheEntries: member % 2 === 0 ? 1_000 : 2,
    credentialBytesMax: member % 3 === 0 ? 1_000_000 : 1_500,
    backwards: member % 2 === 1,
  });
}

export const edgeCases: Scenario = {
  name: 'edge-cases',
  about:
    'Blocks are full of the pinned edge cases of Ed25519 and of credentials: every node checks and executes all of them, ' +
    'and computes the same digests.',
  sizes: SIZES,
  async play({ size, cluster }) {
    const pinned = await pinnedEdgeCases();
    const verifier = honestVerifier(pinned);
    const workloads = Array.from({ length: size }, (_, member) => workloadOf(member, pinned, verifier));
    const { start, until, progress, node, members } = cluster({
      applicationOf: (member) => ({ workload: workloads[member] as EdgeCaseWorkload }),
    });
    start();
    const isDone = () => workloads.every(({ found }) => found.size === pinned.cases.length);
    await until('every node has judged every case', isDone, WITHIN_MS);
    await progress(2, WITHIN_MS);
    for (const { name, fault } of pinned.cases) {
      for (const { found } of workloads)
        assert(found.get(name) === fault, `${name}: ${fault ?? 'good'} (${found.get(name)})`);
    }
    for (const member of members) {
      assert(node(member).exitReason === undefined, `validator ${member} agrees (${node(member).exitReason})`);
    }
  },
};

export const lenientNode: Scenario = {
  name: 'lenient-verifier',
  about:
    'One validator judges Ed25519 with another library, which accepts what libsodium refuses: its state differs, it sees that it ' +
    'does and stops, and the others finalize blocks.',
  sizes: SIZES,
  async play({ size, turns, random, cluster }) {
    const pinned = await pinnedEdgeCases();
    const lenient = random.below(size);
    const verifier = honestVerifier(pinned);
    const { start, until, progress, node, honest } = cluster({
      byzantine: new Map([[lenient, startValidator]]),
      applicationOf: (member) => ({
        workload: workloadOf(member, pinned, member === lenient ? lenientVerifier(verifier) : verifier),
      }),
    });
    start();
    await until('it stops', () => node(lenient).exitReason !== undefined, WITHIN_MS);
    assert(node(lenient).exitReason?.startsWith('diverged'), `it says why (${node(lenient).exitReason})`);
    await progress(turns(1), WITHIN_MS, honest);
    for (const member of honest) assert(node(member).exitReason === undefined, `validator ${member} goes on`);
  },
};
