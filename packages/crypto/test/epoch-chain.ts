/** A chain with real keys through several epochs: its records and handovers. */
import { type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  asId,
  type BlockId,
  type Certify,
  type DigestPreimage,
  type EpochRecord,
  epochKeysOf,
  epoch as epochOf,
  type Genesis,
  type GenesisHash,
  genesisHashOf,
  type Handover,
  handoverOf,
  height,
  OPERATORS_DECIDE,
  type RecordHash,
  recordHashOf,
  recordOfGenesis,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
  subjectMessage,
  view,
} from '@slipstream/types';
import { genesisMember, TEST_TIMES } from '../../types/test/genesis-member.ts';
import { type BlsSigner, createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '../src/native/index.ts';

const BLOCKS_OF_EPOCH = 64;

export interface EpochChain {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** One more than the handovers. */
  readonly records: readonly EpochRecord[];
  readonly handovers: readonly Handover[];
  /** By the committee of this epoch, over this digest's block; by a quorum unless others are named. */
  certify(epoch: number, preimage: DigestPreimage, signers?: readonly number[]): Promise<StateCertificate>;
  /** 192 bytes, by a member of this epoch. */
  sign(epoch: number, member: number, message: Uint8Array): Uint8Array;
  /** Of an epoch's last block but one. */
  preimage(epoch: number, next: RecordHash): DigestPreimage;
}

export interface EpochChainOptions {
  /** Equal weights. */
  readonly members: number;
  readonly epochs: number;
  /** How many members change their BLS key for this epoch; default: one for every other epoch. */
  readonly rotations?: (epoch: number) => number;
}

export async function epochChain(name: string, options: EpochChainOptions): Promise<EpochChain> {
  const { members, epochs, rotations = (epoch: number) => epoch % 2 } = options;
  const signerOf = (member: number, key: number): BlsSigner =>
    createBlsSigner(generateBlsSecretKey(sha256(utf8(`${name} member ${member} key ${key}`))));
  let signers = [...new Array(members).keys()].map((i) => signerOf(i, 0));
  const genesis = genesisOf(name, signers);
  const genesisHash = genesisHashOf(genesis);
  const records: EpochRecord[] = [recordOfGenesis(genesis)];
  const signersOf: (readonly BlsSigner[])[] = [signers];
  const handovers: Handover[] = [];
  const quorum = [...new Array(Math.floor((2 * members) / 3) + 1).keys()];

  async function certify(epoch: number, preimage: DigestPreimage, by = quorum): Promise<StateCertificate> {
    const subject: Certify = {
      kind: 'certify',
      epoch: epochOf(epoch),
      view: view(preimage.height),
      height: preimage.height,
      blockId: preimage.blockId,
      stateDigest: stateDigestOf(genesisHash, preimage),
    };
    const message = subjectMessage(genesisHash, subject);
    const { verifier } = createInlineVerifier({ committees: [epochKeysOf(records[epoch] as EpochRecord)] });
    const members = signersOf[epoch] as readonly BlsSigner[];
    const votes = by.map((signer) => ({
      signer,
      verified: false,
      signature: (members[signer] as BlsSigner).sign(message),
    }));
    const { aggregate } = await verifier.checkQuorum({ epoch, message, votes });
    return { subject, signers: by, aggregate: aggregate as Uint8Array };
  }

  function preimage(epoch: number, next: RecordHash): DigestPreimage {
    const at = (epoch + 1) * BLOCKS_OF_EPOCH - 1;
    return {
      height: height(at),
      blockId: asId<BlockId>(sha256(utf8(`${name} block ${at}`))),
      parentDigest: asId<StateDigest>(sha256(utf8(`${name} parent ${at}`))),
      batchChecksum: sha256(utf8(`${name} batch ${at}`)),
      stateRoot: sha256(utf8(`${name} state ${at}`)),
      receiptsRoot: sha256(utf8(`${name} receipts ${at}`)),
      transactionCount: 0,
      next,
    };
  }

  for (let epoch = 0; epoch < epochs; epoch++) {
    const record = records[epoch] as EpochRecord;
    const rotated = rotations(epoch);
    signers = signers.map((signer, i) =>
      (i + members - (epoch % members)) % members < rotated ? signerOf(i, epoch + 1) : signer,
    );
    const next: EpochRecord = {
      ...record,
      epoch: epochOf(epoch + 1),
      members: record.members.map((member, i) => ({ ...member, blsPublicKey: (signers[i] as BlsSigner).publicKey })),
    };
    const sealed = preimage(epoch, recordHashOf(genesisHash, next));
    handovers.push(handoverOf(record, next, { preimage: sealed, certificate: await certify(epoch, sealed) }));
    records.push(next);
    signersOf.push(signers);
  }
  const sign = (epoch: number, member: number, message: Uint8Array) =>
    (signersOf[epoch]?.[member] as BlsSigner | undefined)?.sign(message) ?? new Uint8Array(192);
  return { genesis, genesisHash, records, handovers, certify, sign, preimage };
}

function genesisOf(name: string, signers: readonly BlsSigner[]): Genesis {
  const units = [9, 9, 9, 9, 9] as const;
  const prices = [0n, 0n, 0n, 0n, 0n];
  return {
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
    allocations: [],
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees: { initialPrices: prices, minimumPrices: prices, targets: units, limits: units, windowBlocks: 100 },
    times: TEST_TIMES,
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [],
    leaderReputation: false,
    governance: OPERATORS_DECIDE,
  };
}
