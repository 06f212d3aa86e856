/**
 * Reads what nodes answer and log into certificates and blocks. Checks no signature.
 *
 *   a certificate                  JSON of the API, bytes, or their 0x text
 *   /v1/certificates/{height}      the finalization and the state certificate
 *   /v1/blocks/{block}             the header
 *   /v1/transactions/{id}/proof    the state certificate; also an answer that holds a proof
 *   slipstream wal inspect --json  records `certificate`, `proposal` and `own-proposal`; others are passed over
 */
import { type Codec, fail, fromHex, ok, type Result } from '@slipstream/primitives';
import {
  BlockSchema,
  BlockViewSchema,
  blockFromJson,
  CertificateSchema,
  certificateFromJson,
  createCheck,
  faultsText,
  HeightCertificatesSchema,
} from '@slipstream/schema';
import { type Block, blockCodec, type Certificate, certificateCodec, proposalCodec } from '@slipstream/types';
import { readProof } from '../read-proof.ts';

/** The log of a node that stands still; more costs minutes to compare. */
const ITEMS_MAX = 32_768;

export interface Material {
  readonly certificates: readonly Certificate[];
  readonly blocks: readonly Block[];
}

type Read = Result<Material, string>;
type JsonObject = { readonly [key: string]: unknown };

const checkCertificate = createCheck(CertificateSchema);
const checkCertificates = createCheck(HeightCertificatesSchema);
const checkBlock = createCheck(BlockSchema);
const checkBlockView = createCheck(BlockViewSchema);

/** One item, or a list of them. */
export function readMaterial(input: unknown): Read {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  if (items.length > ITEMS_MAX) return fail(`${items.length} items are too many: at most ${ITEMS_MAX}`);
  const certificates: Certificate[] = [];
  const blocks: Block[] = [];
  for (const [at, item] of items.entries()) {
    const read = readItem(item);
    if (!read.ok) return Array.isArray(input) ? fail(`item ${at + 1}: ${read.error}`) : read;
    certificates.push(...read.value.certificates);
    blocks.push(...read.value.blocks);
  }
  return certificates.length > 0 ? ok({ certificates, blocks }) : fail('there is no certificate in it');
}

function readItem(item: unknown): Read {
  if (item instanceof Uint8Array) return decoded(certificateCodec, item, ofCertificate);
  if (typeof item === 'string') return readText(certificateCodec, item, ofCertificate);
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return fail(UNKNOWN);
  const object = item as JsonObject;
  if ('aggregate' in object) return readCertificate(object);
  if ('finalization' in object) return readHeightCertificates(object);
  if ('parentId' in object) return readBlock(object);
  if ('block' in object) return readBlockView(object);
  if ('ssz' in object || 'proof' in object) {
    const proof = readProof(object);
    return proof.ok ? ok(ofCertificate(proof.value.proof.certificate)) : proof;
  }
  return 'type' in object ? readLogEntry(object) : fail(UNKNOWN);
}

const UNKNOWN = 'neither a certificate, a block, a proof, an answer with one, nor an entry of a log';

const NOTHING: Material = { certificates: [], blocks: [] };
const ofCertificate = (certificate: Certificate): Material => ({ certificates: [certificate], blocks: [] });
const ofBlock = (block: Block): Material => ({ certificates: [], blocks: [block] });

function readCertificate(json: unknown): Read {
  const checked = checkCertificate(json);
  if (!checked.ok) return fail(`certificate: ${faultsText(checked.error)}`);
  const certificate = certificateFromJson(checked.value);
  return certificate.ok ? ok(ofCertificate(certificate.value)) : fail(`certificate: ${certificate.error}`);
}

function readHeightCertificates(json: unknown): Read {
  const checked = checkCertificates(json);
  if (!checked.ok) return fail(`certificates: ${faultsText(checked.error)}`);
  const { blockId, finalization, state } = checked.value;
  const certificates: Certificate[] = [];
  for (const certificate of [finalization, state]) {
    if (certificate === null) continue;
    if (certificate.blockId !== blockId) return fail(`certificates: one is not of block ${blockId}`);
    const read = readCertificate(certificate);
    if (!read.ok) return read;
    certificates.push(...read.value.certificates);
  }
  return ok({ certificates, blocks: [] });
}

function readBlockView(json: unknown): Read {
  const checked = checkBlockView(json);
  return checked.ok ? readBlock(checked.value.block) : fail(`block: ${faultsText(checked.error)}`);
}

function readBlock(json: unknown): Read {
  const checked = checkBlock(json);
  if (!checked.ok) return fail(`block: ${faultsText(checked.error)}`);
  const block = blockFromJson(checked.value);
  return block.ok ? ok(ofBlock(block.value)) : fail(`block: ${block.error}`);
}

function readLogEntry({ type, kind, payload }: JsonObject): Read {
  if (type === 'segment' || type === 'damage' || type === 'gone') return ok(NOTHING);
  if (type !== 'record') return fail(UNKNOWN);
  switch (kind) {
    case 'certificate':
      return readText(certificateCodec, payload, ofCertificate);
    case 'proposal':
      return readText(blockCodec, payload, ofBlock);
    case 'own-proposal':
      return readText(proposalCodec, payload, ({ block, justification }) => ({
        certificates: justification,
        blocks: [block],
      }));
    default:
      return ok(NOTHING);
  }
}

function readText<T>(codec: Codec<T>, text: unknown, materialOf: (value: T) => Material): Read {
  if (typeof text !== 'string' || !/^0x([0-9a-f]{2})*$/.test(text)) {
    return fail('a serialization is 0x and lower-case hexadecimal digits');
  }
  return decoded(codec, fromHex(text), materialOf);
}

function decoded<T>(codec: Codec<T>, bytes: Uint8Array, materialOf: (value: T) => Material): Read {
  const value = codec.decode(bytes);
  return value.ok ? ok(materialOf(value.value)) : fail(value.error.message);
}
