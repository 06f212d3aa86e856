/** Chain values (packages/types) to and from JSON. Reading returns a Result: the input is foreign. */
import { bytesEqual, fail, ok, type Result, to0x, unreachable } from '@slipstream/primitives';
import {
  accountKeyText,
  actionFromJson,
  actionToJson,
  height as asHeight,
  asId,
  view as asView,
  type Block,
  blockFromWire,
  blockIdOf,
  type Certificate,
  credentialCodec,
  type DigestPreimage,
  type DirectoryProof,
  type DistilledRoots,
  directoryProofCodec,
  type InclusionProof,
  inclusionProofCodec,
  NO_RECORD,
  parseAmount,
  parseBytes,
  type Receipt,
  requireAccount,
  SUBJECT_KINDS,
  signersToBitmap,
  subjectFromWire,
  type Transaction,
  type TransactionAuth,
  type TransactionBody,
  UNIT_DIMENSIONS,
  ZERO_ID,
} from '@slipstream/types';
import type {
  BlockJson,
  CertificateJson,
  DirectoryProofJson,
  PreimageJson,
  ProofJson,
  ReceiptJson,
  TransactionJson,
  UnitsJson,
} from './chain.ts';

export function transactionToJson({ body, auth }: Transaction): TransactionJson {
  return { ...transactionBodyToJson(body), auth: authToJson(auth) };
}

function authToJson(auth: TransactionAuth): TransactionJson['auth'] {
  const signature = to0x(auth.signature);
  switch (auth.scheme) {
    case 'ed25519':
      return { scheme: auth.scheme, signature };
    case 'session':
      return { scheme: auth.scheme, signature, credential: to0x(credentialCodec.encode(auth.credential)) };
    case 'session-hash':
      return { scheme: auth.scheme, signature, sessionKey: to0x(auth.sessionKey), grantId: to0x(auth.grantId) };
    default:
      return unreachable(auth, 'authority');
  }
}

function authFromJson(json: TransactionJson['auth']): TransactionAuth {
  const signature = parseBytes(json.signature);
  if (json.scheme === 'ed25519') return { scheme: json.scheme, signature };
  if (json.scheme === 'session-hash') {
    const { scheme, sessionKey, grantId } = json;
    return { scheme, signature, sessionKey: parseBytes(sessionKey), grantId: asId(parseBytes(grantId)) };
  }
  const credential = credentialCodec.decode(parseBytes(json.credential));
  if (!credential.ok) throw new RangeError(credential.error.message);
  return { scheme: json.scheme, signature, credential: credential.value };
}

function transactionBodyToJson(body: TransactionBody): Omit<TransactionJson, 'auth'> {
  return {
    genesisHash: to0x(body.genesisHash),
    sender: accountKeyText(body.sender),
    expiryMs: body.expiryMs,
    salt: to0x(body.salt),
    maxFee: body.maxFee.toString(),
    actions: body.actions.map(actionToJson),
  };
}

/** The JSON must fit TransactionSchema; this checks the rest (a name's bytes, an amount's range). */
export function transactionFromJson(json: TransactionJson): Result<Transaction, string> {
  return reading(() => ({
    body: {
      genesisHash: asId(parseBytes(json.genesisHash)),
      sender: requireAccount(json.sender),
      expiryMs: json.expiryMs,
      salt: parseBytes(json.salt),
      maxFee: parseAmount(json.maxFee),
      actions: json.actions.map((action, i) => actionFromJson(action, `actions[${i}]`)),
    },
    auth: authFromJson(json.auth),
  }));
}

export function unitsToJson(units: readonly (number | bigint)[]): UnitsJson {
  return Object.fromEntries(UNIT_DIMENSIONS.map((dimension, i) => [dimension, String(units[i] ?? 0)])) as UnitsJson;
}

export function receiptToJson(receipt: Receipt): ReceiptJson {
  return {
    transactionId: to0x(receipt.transactionId),
    status: receipt.outcome.status === 'success' ? 'final' : 'failed',
    outcome: receipt.outcome,
    output: to0x(receipt.output),
    fee: receipt.fee.toString(),
    units: unitsToJson(receipt.units),
    height: receipt.height,
    index: receipt.index,
  };
}

export function certificateToJson({ subject, signers, aggregate }: Certificate): CertificateJson {
  return {
    kind: subject.kind,
    epoch: subject.epoch,
    view: subject.view,
    ...(subject.kind === 'certify' && { height: subject.height }),
    ...(subject.kind !== 'nullify' && { blockId: to0x(subject.blockId) }),
    ...(subject.kind === 'certify' && { stateDigest: to0x(subject.stateDigest) }),
    signers: [...signers],
    aggregate: to0x(aggregate),
  };
}

/** Fails for signers out of order, another epoch, and fields that the kind lacks or does not have. */
export function certificateFromJson(json: CertificateJson): Result<Certificate, string> {
  return reading(() => {
    const { kind, epoch, view, height, blockId, stateDigest, signers } = json;
    if ((blockId === undefined) !== (kind === 'nullify')) throw new RangeError('all but nullify name a block');
    if ((height === undefined || stateDigest === undefined) === (kind === 'certify')) {
      throw new RangeError('certify has a height and a state digest');
    }
    const subject = subjectFromWire({
      kind: SUBJECT_KINDS.indexOf(kind),
      epoch,
      view,
      height: height ?? 0,
      blockId: blockId === undefined ? ZERO_ID : parseBytes(blockId),
      stateDigest: stateDigest === undefined ? ZERO_ID : parseBytes(stateDigest),
    });
    signersToBitmap(signers); // throws when they are not ascending
    return { subject, signers, aggregate: parseBytes(json.aggregate) };
  });
}

/** Fails when `id` is not the hash of the rest. */
export function blockFromJson({ id, ...json }: BlockJson): Result<Block, string> {
  return reading(() => {
    const block = blockFromWire({
      ...json,
      view: asView(json.view),
      height: asHeight(json.height),
      parentId: asId(parseBytes(json.parentId)),
      parentView: asView(json.parentView),
      payload: json.payload.map(({ chunkId, certificate }) => ({
        chunkId: parseBytes(chunkId),
        certificate: certificate
          ? [
              {
                epoch: certificate.epoch,
                signers: signersToBitmap(certificate.signers),
                aggregate: parseBytes(certificate.aggregate),
              },
            ]
          : [],
      })),
      payloadRoot: parseBytes(json.payloadRoot),
      next: json.next === undefined ? [] : [parseBytes(json.next)],
    });
    if (to0x(blockIdOf(block)) !== id) throw new RangeError(`block ${id} has another hash`);
    return block;
  });
}

export function blockToJson(block: Block): BlockJson {
  return {
    id: to0x(blockIdOf(block)),
    epoch: block.epoch,
    view: block.view,
    height: block.height,
    parentId: to0x(block.parentId),
    parentView: block.parentView,
    timestampMs: block.timestampMs,
    proposer: block.proposer,
    payload: block.payload.map(({ chunkId, certificate }) => ({
      chunkId: to0x(chunkId),
      certificate: certificate
        ? {
            epoch: certificate.epoch,
            signers: [...certificate.signers],
            aggregate: to0x(certificate.aggregate),
          }
        : null,
    })),
    payloadRoot: to0x(block.payloadRoot),
    ...(block.next !== undefined && { next: to0x(block.next) }),
  };
}

function distilledRootsToJson({ batchesRoot, batches, directoryRoot, directorySize }: DistilledRoots) {
  return { batchesRoot: to0x(batchesRoot), batches, directoryRoot: to0x(directoryRoot), directorySize };
}

export function preimageToJson(preimage: DigestPreimage): PreimageJson {
  return {
    height: preimage.height,
    blockId: to0x(preimage.blockId),
    parentDigest: to0x(preimage.parentDigest),
    batchChecksum: to0x(preimage.batchChecksum),
    stateRoot: to0x(preimage.stateRoot),
    receiptsRoot: to0x(preimage.receiptsRoot),
    transactionCount: preimage.transactionCount,
    ...(!bytesEqual(preimage.next, NO_RECORD) && { next: to0x(preimage.next) }),
    ...(preimage.distilled && { distilled: distilledRootsToJson(preimage.distilled) }),
  };
}

export function proofToJson(proof: InclusionProof): ProofJson {
  return {
    receipt: receiptToJson(proof.receipt),
    path: proof.path.map(to0x),
    preimages: proof.preimages.map(preimageToJson),
    certificate: certificateToJson(proof.certificate),
    ssz: to0x(inclusionProofCodec.encode(proof)),
  };
}

export function directoryProofToJson(proof: DirectoryProof): DirectoryProofJson {
  const { index, entry, path, preimages, certificate } = proof;
  return {
    index,
    account: accountKeyText(entry.account),
    blsKey: to0x(entry.blsKey),
    path: path.map(to0x),
    preimages: preimages.map(preimageToJson),
    certificate: certificateToJson(certificate),
    ssz: to0x(directoryProofCodec.encode(proof)),
  };
}

function reading<T>(read: () => T): Result<T, string> {
  try {
    return ok(read());
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}
