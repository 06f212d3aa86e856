/**
 * Committees of a chain by epoch: each certified by the one before, from one that is trusted.
 *
 *   genesis file, or a pin --handovers--> committee of each epoch up to the newest --> certificates, proofs, evidence
 *
 * Following costs one pairing a handover, 25 ms or more in JavaScript. Old committees may have lost their secret keys, so a client that runs
 * again should start from a pin of the newest epoch that it knew.
 */
import { verifyCertificateAggregate } from '@slipstream/crypto/browser';
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import {
  type CommitteeView,
  createCheck,
  faultsText,
  HandoverPageSchema,
  HandoverSchema,
  handoverFromJson,
} from '@slipstream/schema';
import {
  type CertifiedCommittee,
  certifiedCommittee,
  certifiedMembersHash,
  checkHandovers,
  committeeOf,
  epoch as epochOf,
  type Genesis,
  type GenesisHash,
  genesisFromJson,
  genesisHashOf,
  HANDOVER_FAULTS,
  HANDOVERS_MAX,
  type Handover,
  type HandoverRejection,
  idFromHex,
  type ProofSignature,
  parseBytes,
} from '@slipstream/types';
import { createSignatureChecks } from './signature-checks.ts';

/** Trust in a chain from this epoch on. */
interface EpochPin {
  readonly genesisHash: string;
  readonly epoch: number;
  /** SHA-256 of weights and BLS keys, 0x and hexadecimal. */
  readonly committeeHash: string;
}

export interface EpochCommittees {
  readonly genesisHash: GenesisHash;
  /** Undefined: followed from a pin. */
  readonly chain: string | undefined;
  /** Undefined: before the first that is trusted, or not followed so far. */
  of(epoch: number): CertifiedCommittee | undefined;
  newest(): CertifiedCommittee;
  /**
   * `handovers`: of consecutive epochs, as JSON of the API: a list, or an answer of GET /v1/handovers. Those of known epochs are passed over.
   * Up to the first that does not hold they count; the error names it.
   */
  follow(handovers: unknown): Result<CertifiedCommittee, string>;
  /** False for an epoch that is not known. Signatures that held are remembered. */
  aggregateHolds(signature: ProofSignature): boolean;
  /** Of the newest committee. */
  pin(): EpochPin;
}

const checkHandover = createCheck(HandoverSchema);
const checkPage = createCheck(HandoverPageSchema);

/** `chain`: the genesis file's JSON, or committees followed from it. */
export function committeesOf(chain: unknown): Result<EpochCommittees, string> {
  if (isCommittees(chain)) return ok(chain);
  const parsed = genesisFromJson(chain);
  return parsed.ok ? ok(committeesOfGenesis(parsed.value)) : fail(parsed.error.join('; '));
}

function committeesOfGenesis(genesis: Genesis): EpochCommittees {
  const { epoch, members } = committeeOf(genesis);
  return createCommittees(genesisHashOf(genesis), certifiedCommittee(epoch, members), genesis.chain);
}

/** `committee`: of the pinned epoch, as GET /v1/committee answers it. */
export function committeesOfPin(
  pin: EpochPin,
  committee: Pick<CommitteeView, 'members'>,
): Result<EpochCommittees, string> {
  const members = committee.members.map(({ weight, blsPublicKey }) => ({
    weight,
    blsPublicKey: parseBytes(blsPublicKey),
  }));
  if (to0x(certifiedMembersHash(members)) !== pin.committeeHash) return fail('the committee is not the pinned one');
  const pinned = certifiedCommittee(epochOf(pin.epoch), members);
  return ok(createCommittees(idFromHex<GenesisHash>(pin.genesisHash), pinned, undefined));
}

function isCommittees(chain: unknown): chain is EpochCommittees {
  return typeof chain === 'object' && chain !== null && 'follow' in chain && typeof chain.follow === 'function';
}

function createCommittees(
  genesisHash: GenesisHash,
  root: CertifiedCommittee,
  chain: string | undefined,
): EpochCommittees {
  const known = [root];
  const checks = createSignatureChecks(verifyCertificateAggregate);
  const newest = () => known[known.length - 1] as CertifiedCommittee;
  const of = (epoch: number) => known[epoch - root.epoch];

  return {
    genesisHash,
    chain,
    newest,
    of,
    follow(input) {
      const read = readHandovers(input);
      if (!read.ok) return read;
      const fresh = read.value.filter(({ certificate }) => certificate.subject.epoch >= newest().epoch);
      const { committees, statements, rejection } = checkHandovers(genesisHash, newest(), fresh);
      for (const [at, statement] of statements.entries()) {
        if (!verifyCertificateAggregate(statement))
          return fail(rejectionText({ epoch: newest().epoch, fault: 'signature' }));
        known.push(committees[at] as CertifiedCommittee);
      }
      return rejection === undefined ? ok(newest()) : fail(rejectionText(rejection));
    },
    aggregateHolds(signature) {
      const committee = of(signature.epoch);
      return committee !== undefined && checks.holds(signature, committee);
    },
    pin() {
      const { epoch, members } = newest();
      return { genesisHash: to0x(genesisHash), epoch, committeeHash: to0x(certifiedMembersHash(members)) };
    },
  };
}

function rejectionText({ epoch, fault }: HandoverRejection): string {
  return `handover of epoch ${epoch}: ${HANDOVER_FAULTS[fault]}`;
}

function readHandovers(input: unknown): Result<readonly Handover[], string> {
  const items = itemsOf(input);
  if (!items.ok) return items;
  if (items.value.length > HANDOVERS_MAX)
    return fail(`${items.value.length} handovers, at most ${HANDOVERS_MAX} at once`);
  const handovers: Handover[] = [];
  for (const [at, item] of items.value.entries()) {
    const checked = checkHandover(item);
    if (!checked.ok) return fail(`handover ${at + 1}: ${faultsText(checked.error)}`);
    const handover = handoverFromJson(checked.value);
    if (!handover.ok) return fail(`handover ${at + 1}: ${handover.error}`);
    handovers.push(handover.value);
  }
  return ok(handovers);
}

function itemsOf(input: unknown): Result<readonly unknown[], string> {
  if (Array.isArray(input)) return ok(input);
  const page = checkPage(input);
  return page.ok ? ok(page.value.items) : fail(`no handovers: ${faultsText(page.error)}`);
}
