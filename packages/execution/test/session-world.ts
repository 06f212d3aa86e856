/** Two chains with real keys: one that grants sessions, one that trusts its root key; and credentials, good and bent. */
import {
  createBlsSigner,
  createInlineVerifier,
  ed25519PublicKey,
  ed25519Sign,
  generateBlsSecretKey,
} from '@slipstream/crypto/native';
import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  asId,
  authorityMessage,
  type BlockId,
  type Certify,
  type CommitteeCertificate,
  type Credential,
  certifiedMembers,
  committeeMessage,
  committeeOf,
  type DecodedTransaction,
  type DigestPreimage,
  decodeTransaction,
  ed25519Account,
  epochKeysOf,
  type FeeParameters,
  GENESIS_EPOCH,
  type Genesis,
  type GenesisHash,
  type Grant,
  type GrantId,
  type GrantSession,
  genesisHashOf,
  grantIdOf,
  grantOf,
  height,
  hexOf,
  type InclusionProof,
  issuerIdOf,
  makeCredential,
  merklePath,
  merkleRoot,
  NO_RECORD,
  OPERATORS_DECIDE,
  type PreparedTransaction,
  pseudonymOf,
  type Receipt,
  receiptCodec,
  type SessionAuth,
  type SessionHashAuth,
  type StateDigest,
  scopeOf,
  serviceSaltOf,
  sessionAccountOf,
  stateDigestOf,
  subjectMessage,
  type Transaction,
  type TransactionBody,
  transactionCodec,
  transactionIdOf,
  view,
} from '@slipstream/types';
import { genesisMember, TEST_TIMES } from '../../types/test/genesis-member.ts';
import {
  type ExecuteBlock,
  executeBlock,
  FREE_FEES,
  genesisBatch,
  type ParallelCalls,
  type Write,
  writesOf,
} from '../src/index.ts';
import { freshApplications, type TestApplication } from './application-builders.ts';
import type { Executed } from './builders.ts';

export const NOW_MS = 1_800_000_000_000;
export const HOUR_MS = 3_600_000;

export interface Person {
  readonly secret: Uint8Array;
  readonly account: AccountKey;
}

export function person(name: string): Person {
  const secret = sha256(utf8(name));
  return { secret, account: ed25519Account(ed25519PublicKey(secret)) };
}

export interface TestChain {
  readonly genesis: Genesis;
  readonly genesisHash: ReturnType<typeof genesisHashOf>;
  readonly rootKey: Uint8Array;
  readonly committeeCertificate: CommitteeCertificate;
  readonly verifier: ReturnType<typeof createInlineVerifier>['verifier'];
  read(key: Uint8Array): Uint8Array | undefined;
  execute(transactions: readonly PreparedTransaction[], timestampMs?: number): Executed;
  /** That members certified a receipt of the last executed block: a quorum, unless others are named. */
  prove(executed: Executed, index: number, signers?: readonly number[]): Promise<InclusionProof>;
  /** A block of one receipt, whatever it says, certified for whatever chain. */
  proveReceipt(receipt: Receipt, as: GenesisHash): Promise<InclusionProof>;
  /** 96 bytes: these members' aggregate. */
  aggregate(message: Uint8Array, signers: readonly number[]): Promise<Uint8Array>;
}

const QUORUM: readonly number[] = [0, 1, 3];

export const RICH = 1_000_000n;

interface TestChainOptions {
  /** Root keys of other chains. */
  readonly trusted?: readonly Uint8Array[];
  readonly balances?: readonly AccountKey[];
  /** Of the committee certificate. */
  readonly expiryMs?: number;
  /** Default: none. */
  readonly fees?: FeeParameters;
  readonly applications?: readonly TestApplication[];
  /** Of each application. Default: no fields. */
  readonly input?: unknown;
  readonly parallel?: ParallelCalls | undefined;
  readonly onExecuted?: ExecuteBlock['onExecuted'];
}

export function testChain(name: string, options: TestChainOptions = {}): TestChain {
  const secrets = [0, 1, 2, 3].map((i) => generateBlsSecretKey(sha256(utf8(`${name} member ${i}`))));
  const signers = secrets.map(createBlsSigner);
  const root = createBlsSigner(generateBlsSecretKey(sha256(utf8(`${name} root`))));
  const genesis: Genesis = {
    chain: name,
    timestampMs: 0,
    development: true,
    members: signers.map(({ publicKey }, i) =>
      genesisMember(i, {
        weight: 1,
        blsPublicKey: publicKey,
        peerKey: toHex(sha256(utf8(`${name} peer ${i}`))) as PeerKey,
      }),
    ),
    allocations: (options.balances ?? []).map((account) => ({ account, balance: RICH })),
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees: options.fees ?? FREE_FEES,
    times: TEST_TIMES,
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [root.publicKey, ...(options.trusted ?? [])],
    leaderReputation: false,
    governance: OPERATORS_DECIDE,
    ...(options.applications && {
      applications: options.applications.map((each) => each.inGenesis(options.input ?? {})),
    }),
  };
  const genesisHash = genesisHashOf(genesis);
  const committee = committeeOf(genesis);
  const { expiryMs = NOW_MS + 24 * HOUR_MS } = options;
  const members = certifiedMembers(committee);
  const signature = root.signCompressed(committeeMessage(genesisHash, members, expiryMs));
  const { verifier } = createInlineVerifier({ committees: [epochKeysOf(committee)] });
  const state = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  let at = 0;

  function apply(batch: readonly Write[]): void {
    for (const { key, value } of batch) {
      if (value === undefined) state.delete(toHex(key));
      else state.set(toHex(key), value);
    }
  }
  const applications = freshApplications(options.applications ?? []);
  apply(genesisBatch(genesis, ed25519PublicKey, applications));
  const read = (key: Uint8Array) => state.get(toHex(key));

  async function aggregate(message: Uint8Array, by: readonly number[]): Promise<Uint8Array> {
    const votes = by.map((signer) => ({
      signer,
      signature: signers[signer]?.sign(message) ?? new Uint8Array(192),
      verified: false,
    }));
    return (await verifier.checkQuorum({ epoch: committee.epoch, message, votes })).aggregate ?? new Uint8Array(96);
  }

  async function proveReceipts(
    receipts: readonly Uint8Array[],
    index: number,
    { as, by }: { readonly as: GenesisHash; readonly by: readonly number[] },
  ): Promise<Omit<InclusionProof, 'receipt'>> {
    const preimage: DigestPreimage = {
      height: height(at),
      blockId: asId<BlockId>(sha256(utf8(`${name} block ${at}`))),
      parentDigest: asId<StateDigest>(sha256(utf8(`${name} parent ${at}`))),
      batchChecksum: sha256(utf8(`${name} batch ${at}`)),
      stateRoot: sha256(utf8(`${name} state ${at}`)),
      receiptsRoot: merkleRoot(receipts),
      transactionCount: receipts.length,
      next: NO_RECORD,
    };
    const { blockId } = preimage;
    const stateDigest = stateDigestOf(as, preimage);
    const subject: Certify = {
      kind: 'certify',
      epoch: GENESIS_EPOCH,
      view: view(at),
      height: preimage.height,
      blockId,
      stateDigest,
    };
    const certificate = { subject, signers: by, aggregate: await aggregate(subjectMessage(as, subject), by) };
    return { path: merklePath(receipts, index), preimages: [preimage], certificate };
  }

  async function prove(executed: Executed, index: number, by = QUORUM): Promise<InclusionProof> {
    const receipt = executed.receipts[index];
    if (receipt === undefined) throw new Error(`the block has no receipt ${index}`);
    return { receipt, ...(await proveReceipts(executed.receiptBytes, index, { as: genesisHash, by })) };
  }

  return {
    genesis,
    genesisHash,
    rootKey: root.publicKey,
    committeeCertificate: { genesisHash, rootKey: root.publicKey, expiryMs, members, signature },
    verifier,
    read,
    aggregate,
    prove,
    proveReceipt: async (receipt, as) => ({
      receipt,
      ...(await proveReceipts([receiptCodec.encode(receipt)], receipt.index, { as, by: QUORUM })),
    }),
    execute(transactions, timestampMs = NOW_MS) {
      at += 1;
      const executed = executeBlock({
        genesisHash,
        epoch: 0,
        view: at,
        parentView: at - 1,
        height: at,
        timestampMs,
        proposer: 0,
        chunks: [{ epoch: 0, producer: 0, transactions }],
        read,
        applications,
        parallel: options.parallel,
        ...(options.onExecuted && { onExecuted: options.onExecuted }),
        seen: (id) => seen.has(hexOf(id)),
      });
      const batch = writesOf(executed.batch);
      apply(batch);
      for (const { transactionId } of executed.receipts) seen.add(hexOf(transactionId));
      return { ...executed, batch };
    },
  };
}

let salts = 0;

/** So that a test gives the same bytes whatever ran before it. */
export function startSalts(): void {
  salts = 0;
}

export interface BodyForm {
  readonly sender: AccountKey;
  readonly actions: readonly Action[];
  readonly maxFee?: bigint;
  readonly expiryMs?: number;
}

export function bodyOf(
  chain: Pick<TestChain, 'genesisHash'>,
  { sender, actions, maxFee = 0n, expiryMs }: BodyForm,
): TransactionBody {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, ++salts);
  return { genesisHash: chain.genesisHash, sender, expiryMs: expiryMs ?? NOW_MS + 30_000, salt, maxFee, actions };
}

export function encoded(transaction: Transaction): DecodedTransaction {
  return decodeTransaction(transactionCodec.encode(transaction));
}

/** Signed by the sender himself. */
export function signed(
  chain: TestChain,
  { secret, account }: Person,
  ...actions: readonly Action[]
): PreparedTransaction {
  const body = bodyOf(chain, { sender: account, actions });
  const auth = { scheme: 'ed25519', signature: ed25519Sign(transactionIdOf(body), secret) } as const;
  return { ...encoded({ body, auth }), signatureValid: true };
}

/** A session as its user knows it. */
export interface TestSession {
  readonly action: GrantSession;
  readonly grant: Grant;
  readonly grantId: GrantId;
  readonly key: Person;
  /** On the target chain. */
  readonly account: AccountKey;
}

export interface SessionForm {
  readonly service?: string;
  readonly scope?: number;
  readonly spendLimit?: bigint;
  readonly expiryMs?: number;
  readonly key?: string;
}

export function sessionOf(
  identity: TestChain,
  target: Pick<TestChain, 'genesisHash'>,
  anchor: Person,
  form: SessionForm = {},
): TestSession {
  const { service = 'wallet.example', scope = scopeOf(['transfer', 'setData']), spendLimit = 1_000n } = form;
  const { expiryMs = NOW_MS + HOUR_MS, key: keyName = 'session key' } = form;
  const key = person(keyName);
  const serviceSalt = serviceSaltOf(sha256(anchor.secret), service);
  const [sessionKey, terms] = [key.account.bytes, { service, serviceSalt, scope, spendLimit, expiryMs }];
  const action: GrantSession = {
    kind: 'grantSession',
    anchor: anchor.account,
    target: target.genesisHash,
    sessionKey,
    ...terms,
  };
  const grant = grantOf(action, identity.genesisHash);
  const issuer = identity === target ? { genesisHash: identity.genesisHash } : { rootKey: identity.rootKey };
  const account = sessionAccountOf(issuerIdOf(issuer), pseudonymOf(anchor.account, service, serviceSalt));
  return { action, grant, grantId: grantIdOf(grant), key, account };
}

/** Executes the grant on the identity chain, among others, and proves it. */
export async function credentialOf(
  identity: TestChain,
  session: TestSession,
  device: Person,
  timestampMs = NOW_MS,
): Promise<Credential> {
  const others = ['before', 'after'].map((value) =>
    signed(identity, device, { kind: 'setData', name: 'noise', value: utf8(`${value} ${salts}`) }),
  );
  const [before, after] = others as [PreparedTransaction, PreparedTransaction];
  const executed = identity.execute([before, signed(identity, device, session.action), after], timestampMs);
  const made = makeCredential(session.grant, await identity.prove(executed, 1), identity.committeeCertificate);
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

/** A transaction with session authority, as a client would send it. */
export function byCredential(
  target: TestChain,
  { key, account }: TestSession,
  credential: Credential,
  form: Partial<BodyForm> & { readonly actions: readonly Action[] },
): DecodedTransaction {
  return signedBySession(bodyOf(target, { sender: account, ...form }), { scheme: 'session', credential }, key.secret);
}

export function byHash(
  target: TestChain,
  { key, account, grantId }: TestSession,
  form: Partial<BodyForm> & { readonly actions: readonly Action[] },
): DecodedTransaction {
  const auth = { scheme: 'session-hash', sessionKey: key.account.bytes, grantId } as const;
  return signedBySession(bodyOf(target, { sender: account, ...form }), auth, key.secret);
}

export type UnsignedSession = Omit<SessionAuth, 'signature'> | Omit<SessionHashAuth, 'signature'>;

export function signedBySession(body: TransactionBody, auth: UnsignedSession, secret: Uint8Array): DecodedTransaction {
  return encoded({
    body,
    auth: { ...auth, signature: ed25519Sign(authorityMessage(transactionIdOf(body), auth), secret) },
  });
}

/** As a node prepares it that found nothing wrong. */
export function prepared(decoded: DecodedTransaction): PreparedTransaction {
  return { ...decoded, signatureValid: true };
}
