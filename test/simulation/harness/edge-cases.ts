/**
 * Pinned vectors of Ed25519 and credentials, judged and executed as nodes do.
 *
 *   chunk = salt | picks of the vectors --> each judged (own verifier, own memory, own order) --> real execution --> state digest
 *
 * An Ed25519 vector replaces the signature of a transaction, because it fixes key and message. Credentials are whole transactions, valid
 * ones and attacks. States are stored by block, because rivals are executed too.
 */
import { createAuthorityChecks, createCachedVerifier, createVerificationCache } from '@slipstream/crypto';
import { ed25519PublicKey } from '@slipstream/crypto/native';
import { executeBlock, genesisBatch, writesOf } from '@slipstream/execution';
import type { AccountSignature, Verifier } from '@slipstream/ports';
import { assert, concatBytes, fromHex, sha256, toHex, utf8 } from '@slipstream/primitives';
import type { SeededRandom } from '@slipstream/simulator';
import {
  type AuthorityFault,
  authorityMessage,
  type Block,
  type BlockId,
  createCredentialMemory,
  type DecodedTransaction,
  decodeTransaction,
  GENESIS_EPOCH,
  type GenesisHash,
  hexOf,
  merkleRoot,
  NO_RECORD,
  type PreparedTransaction,
  type StateDigest,
  sessionKeyOf,
  stateDigestOf,
  type Transaction,
} from '@slipstream/types';
import { EDGE_CASES } from '../../../packages/crypto/test/ed25519-edge-cases.ts';
import { attacksOn, attackWorld, WRITE } from '../../../packages/execution/test/session-attacks.ts';
import {
  byCredential,
  byHash,
  NOW_MS,
  person,
  signed,
  startSalts,
  type TestChain,
} from '../../../packages/execution/test/session-world.ts';
import { sessionChainOf } from '../../../packages/types/test/session-chain.ts';
import type { Workload } from './workload.ts';

export interface EdgeCase {
  readonly name: string;
  readonly transaction: DecodedTransaction;
  /** Verified in place of the transaction's own. */
  readonly signature: AccountSignature | undefined;
  /** That every node must find; undefined: valid. */
  readonly fault: AuthorityFault | undefined;
}

export interface EdgeCases {
  readonly target: TestChain;
  readonly cases: readonly EdgeCase[];
}

export async function pinnedEdgeCases(): Promise<EdgeCases> {
  startSalts();
  const world = await attackWorld();
  const { target, session, credential } = world;
  const vectors = EDGE_CASES.map(([name, accepted, key, message, signature]): EdgeCase => {
    const transaction = signed(target, person(name), { ...WRITE, value: utf8(name.slice(0, 8)) } as typeof WRITE);
    const pinned = { publicKey: fromHex(key), message: fromHex(message), signature: fromHex(signature) };
    return { name, transaction, signature: pinned, fault: accepted ? undefined : 'bad-signature' };
  });
  const sound = [
    byCredential(target, session, credential, { actions: [WRITE] }),
    byHash(target, session, { actions: [WRITE] }),
    byHash(target, session, { actions: [WRITE, session.action] }),
  ].map((transaction, i): EdgeCase => ({ name: `sound ${i}`, transaction, signature: undefined, fault: undefined }));
  const attacks = (await attacksOn(world)).map(
    ({ name, fault, transaction }): EdgeCase => ({ name, transaction, signature: undefined, fault }),
  );
  return { target, cases: [...vectors, ...sound, ...attacks] };
}

const PICKS = 6;
const SALT_BYTES = 64;

interface State {
  readonly values: ReadonlyMap<string, Uint8Array>;
  readonly seen: ReadonlySet<string>;
  readonly digest: StateDigest;
}

export interface EdgeCaseWorkload extends Workload {
  readonly found: ReadonlyMap<string, AuthorityFault | undefined>;
}

export interface JudgeOptions {
  readonly verifier: Verifier;
  /** Small caches forget: the verdict must not depend on them. */
  readonly cacheEntries: number;
  readonly credentialBytesMax: number;
  readonly backwards: boolean;
}

export function createEdgeCaseWorkload({ target, cases }: EdgeCases, options: JudgeOptions): EdgeCaseWorkload {
  const { genesis, genesisHash } = target;
  const hashKey = sha256(utf8('key')).subarray(0, 16);
  const limits = { entriesMax: options.cacheEntries, issuerEntriesMax: options.cacheEntries };
  const verifier = createCachedVerifier(options.verifier, createVerificationCache({ ...limits, hashKey }));
  const credentials = createCredentialMemory(options.credentialBytesMax);
  const checks = createAuthorityChecks(verifier, sessionChainOf(target), credentials);
  const states = new Map<string, PromiseWithResolvers<State>>();
  const found = new Map<string, AuthorityFault | undefined>();

  const first: State = {
    values: new Map(genesisBatch(genesis, ed25519PublicKey).map(({ key, value }) => [toHex(key), value as Uint8Array])),
    seen: new Set(),
    digest: sha256(utf8('genesis')) as StateDigest,
  };

  /** A child may wait for it. */
  function stateAfter(blockId: BlockId): PromiseWithResolvers<State> {
    const known = states.get(hexOf(blockId)) ?? Promise.withResolvers<State>();
    states.set(hexOf(blockId), known);
    return known;
  }

  async function judge({ name, transaction: { bytes }, signature }: EdgeCase): Promise<PreparedTransaction> {
    const decoded = decodeTransaction(bytes, credentials);
    const transaction = decoded.transaction as Transaction;
    const { auth, body } = transaction;
    const publicKey = auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
    const own = { publicKey, message: authorityMessage(decoded.id, auth), signature: auth.signature };
    const [isSigned] = await verifier.checkAccounts([signature ?? own], 'chunk');
    const fault = isSigned ? await checks.check(transaction, 'chunk', GENESIS_EPOCH) : 'bad-signature';
    assert(fault !== 'not-now', 'checks have no budget here');
    found.set(name, fault);
    return { ...decoded, signatureValid: fault === undefined, fault };
  }

  async function judgeAll(picks: readonly number[]): Promise<readonly PreparedTransaction[]> {
    const verdicts: PreparedTransaction[] = [];
    for (let i = 0; i < picks.length; i++) {
      const at = options.backwards ? picks.length - 1 - i : i;
      verdicts[at] = await judge(cases[picks[at] as number] as EdgeCase);
    }
    return verdicts;
  }

  async function run(blockId: BlockId, block: Block, chunks: readonly Uint8Array[]): Promise<State> {
    const parent = block.height === 1 ? first : await stateAfter(block.parentId).promise;
    const picks = chunks.flatMap((bytes) => [...bytes.subarray(SALT_BYTES)]).map((byte) => byte % cases.length);
    const transactions = await judgeAll(picks);
    const {
      batch: columns,
      receipts,
      receiptBytes,
    } = executeBlock({
      genesisHash,
      epoch: block.epoch,
      view: block.view,
      parentView: block.parentView,
      height: block.height,
      timestampMs: NOW_MS,
      proposer: 0,
      chunks: [{ epoch: 0, producer: 0, transactions }],
      read: (key) => parent.values.get(toHex(key)),
      seen: (id) => parent.seen.has(hexOf(id)),
    });
    const batch = writesOf(columns);
    const values = new Map(parent.values);
    for (const { key, value } of batch) {
      if (value === undefined) values.delete(toHex(key));
      else values.set(toHex(key), value);
    }
    const digest = stateDigestOf(genesisHash as GenesisHash, {
      height: block.height,
      blockId,
      parentDigest: parent.digest,
      transactionCount: receiptBytes.length,
      next: NO_RECORD,
      batchChecksum: sha256(concatBytes(...batch.flatMap(({ key, value }) => [key, value ?? new Uint8Array(1)]))),
      // The checksum names the writes; no tree is needed beside it.
      stateRoot: new Uint8Array(32),
      receiptsRoot: merkleRoot(receiptBytes),
    });
    return {
      values,
      seen: new Set([...parent.seen, ...receipts.map(({ transactionId }) => hexOf(transactionId))]),
      digest,
    };
  }

  return {
    found,
    chunkBytesMax: SALT_BYTES + PICKS,
    makeChunk: (random: Pick<SeededRandom, 'bytes'>) => random.bytes(SALT_BYTES + PICKS),
    async execute(blockId, block, chunks) {
      const state = await run(blockId, block, chunks);
      stateAfter(blockId).resolve(state);
      return state.digest;
    },
  };
}
