/**
 * Batches where a node meets many certificates at once, against the same checks one by one, on the parts of a node that ask for them.
 *
 *   certificate sync  an answer with the nullifications of 64 views, to the core of consensus
 *   block sync        an answer with 256 blocks, their Finalization and state certificate, to the core
 *   chunks            a block with 128 certified chunks, to dissemination
 *   credentials       a chunk's new sessions, each granted in a block of its own, to the authority checks
 *
 * A committee of 100, certificates by a quorum of 67 (of credentials: by a committee of four). Both sides use the node's verifier, on one
 * thread, and no cache. The sources have no such measurement: DFINITY batched bare signatures.
 */
import {
  type CoreSetting,
  createCore,
  type Effect,
  type Event,
  LOCAL_OPTIONS,
  NOTHING_RESTORED,
} from '@slipstream/consensus';
import { createAuthorityChecks } from '@slipstream/crypto';
import {
  createBlsSigner,
  createInlineVerifier,
  createWorkerVerifier,
  generateBlsSecretKey,
} from '@slipstream/crypto/native';
import { checkOneByOne, type PeerKey, silentTelemetry, type Verifier } from '@slipstream/ports';
import { fromHex, sha256, toHex, uint32le } from '@slipstream/primitives';
import {
  asId,
  BLOCK_CHUNKS_MAX,
  type Block,
  blockIdOf,
  type Certificate,
  type ChunkCertificate,
  type ChunkId,
  chunkAckMessage,
  createCommittee,
  createCredentialMemory,
  epochKeysOf,
  GENESIS_EPOCH,
  type GenesisHash,
  genesisBlock,
  height,
  makeCredential,
  payloadRootOf,
  type StateDigest,
  type Subject,
  SYNC_BLOCKS_MAX,
  subjectMessage,
  type Transaction,
  view,
} from '@slipstream/types';
import { verdictOn, verdictsOnCertificates } from '../../packages/consensus/src/verdicts.ts';
import { createCertificates } from '../../packages/dissemination/src/chunks/certificates.ts';
import { createDropCounter } from '../../packages/dissemination/src/metrics/drop-counter.ts';
import { soleCommittee } from '../../packages/dissemination/test/harness/genesis-epochs.ts';
import { byCredential, person, sessionOf, signed, testChain } from '../../packages/execution/test/session-world.ts';
import { sessionChainOf } from '../../packages/types/test/session-chain.ts';
import { type BenchOptions, type Claim, claim, median, printTable } from './claim.ts';

const MEMBERS = 100;
const QUORUM = 67;
const SIGNER_SETS = 8;
const VIEWS = 64;
const GROUP_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** Returns when all is checked. Throws when the checks did not do what they are for. */
type Work = (verifier: Verifier) => Promise<void>;

const secretKeys = Array.from({ length: MEMBERS }, (_, index) => generateBlsSecretKey(sha256(uint32le(index))));
const committeeKeys = secretKeys.map((secretKey) => createBlsSigner(secretKey).publicKey);
const committee = createCommittee(
  committeeKeys.map((blsPublicKey, index) => ({ weight: 1, blsPublicKey, peerKey: `peer ${index}` as PeerKey })),
);
const genesisHash = asId<GenesisHash>(sha256(uint32le(1)));
const genesis = genesisBlock(genesisHash, 0);

const signerSets = Array.from({ length: SIGNER_SETS }, (_, shift) =>
  Array.from({ length: QUORUM }, (__, at) => (at + 11 * shift) % MEMBERS).sort((a, b) => a - b),
);
/** A quorum's sum of signatures is one signature by the sum of its secret keys. */
const setVerifiers = signerSets.map((signers) => {
  const sum = signers.reduce((total, signer) => total + BigInt(`0x${toHex(secretKeys[signer] as Uint8Array)}`), 0n);
  const signer = createBlsSigner(fromHex((sum % GROUP_ORDER).toString(16).padStart(64, '0')));
  return {
    signer,
    verifier: createInlineVerifier({ committees: [{ epoch: GENESIS_EPOCH, publicKeys: [signer.publicKey] }] }).verifier,
  };
});

async function signedBySet(message: Uint8Array, nth: number): Promise<ChunkCertificate> {
  const { signer, verifier } = setVerifiers[nth % SIGNER_SETS] as (typeof setVerifiers)[number];
  const votes = [{ signer: 0, signature: signer.sign(message), verified: true }];
  const { aggregate } = await verifier.checkQuorum({ epoch: GENESIS_EPOCH, message, votes });
  return {
    epoch: GENESIS_EPOCH,
    signers: signerSets[nth % SIGNER_SETS] as readonly number[],
    aggregate: aggregate as Uint8Array,
  };
}

async function certificateOf(subject: Subject, nth: number): Promise<Certificate> {
  return { subject, ...(await signedBySet(subjectMessage(genesisHash, subject), nth)) };
}

/** A new core of a validator, with what the driver does for its checks. */
async function feed(verifier: Verifier, first: Event) {
  const setting: CoreSetting = {
    genesisHash,
    committee,
    self: 0,
    options: LOCAL_OPTIONS,
    root: { block: genesis, blockId: blockIdOf(genesis), certificate: undefined },
    refuseUpToView: 0,
    nullifyUpToView: 0,
    restored: NOTHING_RESTORED,
  };
  const core = createCore(setting, 0, 0);
  const components = { verifier, clock: { after: () => () => {} } };
  const events: Event[] = [first];
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    const checks = core
      .step(event, 0, 0)
      .filter((effect): effect is Extract<Effect, { type: 'verify' }> => effect.type === 'verify');
    const certificates = checks.flatMap(({ token, request }) =>
      request.type === 'certificate' ? [{ token, request: request.request }] : [],
    );
    const verdicts = await verdictsOnCertificates(
      components,
      certificates.map(({ request }) => request),
    );
    for (const [at, verdict] of verdicts.entries()) {
      events.push({ type: 'verified', token: certificates[at]?.token as number, verdict });
    }
    for (const { token, request } of checks) {
      if (request.type === 'certificate') continue;
      events.push({ type: 'verified', token, verdict: await verdictOn(components, request) });
    }
  }
  return core.status();
}

async function certificateSync(): Promise<Work> {
  const certificates = await Promise.all(
    Array.from({ length: VIEWS }, (_, at) =>
      certificateOf({ kind: 'nullify', epoch: GENESIS_EPOCH, view: view(at + 1) }, at),
    ),
  );
  const query = { type: 'certificates', from: view(1), to: view(VIEWS) } as const;
  return async (verifier) => {
    const from = committee.members[1]?.peerKey as PeerKey;
    const status = await feed(verifier, { type: 'fetched', query, from, blocks: [], certificates });
    if (status.view !== VIEWS + 1) throw new Error(`in view ${status.view} after an answer up to ${VIEWS}`);
  };
}

async function blockSync(): Promise<Work> {
  const blocks: Block[] = [];
  for (let at = 1, parent = genesis; at <= SYNC_BLOCKS_MAX; at++) {
    parent = {
      epoch: GENESIS_EPOCH,
      view: view(at),
      height: height(at),
      parentId: blockIdOf(parent),
      parentView: parent.view,
      timestampMs: at,
      proposer: 0,
      payload: [],
      payloadRoot: payloadRootOf([]),
      next: undefined,
    };
    blocks.push(parent);
  }
  const last = blocks.at(-1) as Block;
  const proven = blocks.at(-3) as Block;
  const stateDigest = asId<StateDigest>(sha256(blockIdOf(proven)));
  const certificates = [
    await certificateOf({ kind: 'finalize', epoch: GENESIS_EPOCH, view: last.view, blockId: blockIdOf(last) }, 0),
    await certificateOf(
      {
        kind: 'certify',
        epoch: GENESIS_EPOCH,
        view: proven.view,
        height: proven.height,
        blockId: blockIdOf(proven),
        stateDigest,
      },
      1,
    ),
  ];
  const query = { type: 'finalized', from: 1, to: SYNC_BLOCKS_MAX } as const;
  return async (verifier) => {
    const from = committee.members[1]?.peerKey as PeerKey;
    const { certifiedHeight } = await feed(verifier, { type: 'fetched', query, from, blocks, certificates });
    if (certifiedHeight !== proven.height) throw new Error(`certified up to ${certifiedHeight}, not ${proven.height}`);
  };
}

async function chunks(): Promise<Work> {
  const certified = await Promise.all(
    Array.from({ length: BLOCK_CHUNKS_MAX }, async (_, at) => {
      const chunkId = asId<ChunkId>(sha256(uint32le(at)));
      return { chunkId, certificate: await signedBySet(chunkAckMessage(genesisHash, GENESIS_EPOCH, chunkId), at) };
    }),
  );
  return async (verifier) => {
    const certificates = createCertificates(
      {
        verifier,
        clock: { monotonicMs: () => 0, after: () => () => {} },
        reports: { offence() {}, equivocation() {}, pendingChanged() {} },
        drops: createDropCounter(silentTelemetry),
        blockInterval: { intervalMs: 0 },
        references: { isReferenced: () => false },
        store: { get: () => undefined, isCommitted: () => false },
        uncertifiedReferences: { allowed: true, suspendedAtPeer() {} },
        waits: { hasAny: () => false },
        events: { chunkCertified() {} },
        committees: soleCommittee(committee, [1, 1, 1, 1, 1]),
      },
      { genesisHash },
      { certificatesMax: 1000, certificateChecksMax: 100, certificateDeferMs: 0 },
    );
    const fault = await certificates.faultOf(certified);
    if (fault !== undefined) throw new Error(fault);
  };
}

async function credentials(count: number): Promise<Work> {
  const alice = person('alice');
  const identity = testChain('identity', { balances: [alice.account] });
  const target = testChain('target', { trusted: [identity.rootKey] });
  const write = { kind: 'setData', name: 'n', value: new Uint8Array(8) } as const;
  const transactions: Transaction[] = [];
  for (let at = 0; at < count; at++) {
    const session = sessionOf(identity, target, alice, { key: `user ${at}`, service: `service ${at}` });
    const executed = identity.execute([signed(identity, alice, session.action)]);
    const made = makeCredential(session.grant, await identity.prove(executed, 0), identity.committeeCertificate);
    if (!made.ok) throw new Error(made.error);
    transactions.push(byCredential(target, session, made.value, { actions: [write] }).transaction as Transaction);
  }
  const chain = sessionChainOf(target);
  return async (verifier) => {
    const checks = createAuthorityChecks(verifier, chain, createCredentialMemory());
    const faults = await Promise.all(
      transactions.map((transaction) => checks.check(transaction, 'chunk', GENESIS_EPOCH)),
    );
    if (faults.some((fault) => fault !== undefined)) throw new Error(`a credential failed: ${faults.find(Boolean)}`);
  };
}

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

async function costOf(work: Work, verifier: Verifier): Promise<Cost> {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await work(verifier);
  const ms = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

export async function benchCatchingUp({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const works: Readonly<Record<string, Work>> = {
    certificate_sync: await certificateSync(),
    block_sync: await blockSync(),
    chunks: await chunks(),
    credentials: await credentials(smoke ? 4 : 32),
  };
  const onFailure = (error: Error): void => {
    throw error;
  };
  const service = createWorkerVerifier({ workers: 1, committees: [epochKeysOf(committee)], onFailure });
  const batched = service.verifier;
  const single: Verifier = {
    ...batched,
    checkBatch: (batch, priority) => checkOneByOne(batched, batch, priority),
  };
  const rounds = smoke ? 1 : 15;
  const claims: Claim[] = [];
  const rows: (readonly [string, number, number, number, number])[] = [];
  for (const [name, work] of Object.entries(works)) {
    await work(batched); // key sums are cached from here on
    const costs: { readonly single: Cost; readonly batch: Cost }[] = [];
    for (let round = 0; round < rounds; round++) {
      costs.push({ single: await costOf(work, single), batch: await costOf(work, batched) });
    }
    const [singleMs, batchMs] = [
      median(costs.map(({ single: { ms } }) => ms)),
      median(costs.map(({ batch: { ms } }) => ms)),
    ];
    const cpuRatio =
      median(costs.map(({ single: { cpuMs } }) => cpuMs)) / median(costs.map(({ batch: { cpuMs } }) => cpuMs));
    rows.push([name.replaceAll('_', ' '), singleMs, batchMs, singleMs / batchMs, cpuRatio]);
    claims.push(claim(`${name}_ratio`, singleMs / batchMs, 'ratio', rounds));
    claims.push(claim(`${name}_cpu_ratio`, cpuRatio, 'ratio', rounds));
  }
  await service.stop();
  printTable('Catching up, ms', ['', 'one by one', 'batches', 'ratio', 'CPU ratio'], rows);
  draw({
    title: 'Checks of a node that catches up',
    about: `A committee of ${MEMBERS}; one verifier thread, no cache.`,
    unit: 'ms',
    kind: 'bars',
    x: { name: 'what is checked', unit: '', values: rows.map(([name]) => name) },
    lines: [
      { name: 'one by one', values: rows.map(([, ms]) => ms) },
      { name: 'batches', values: rows.map(([, , ms]) => ms) },
    ],
  });
  return claims;
}
