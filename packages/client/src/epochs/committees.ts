/**
 * Committees of a chain by epoch: each certified by the one before, from one that is trusted.
 *
 *   genesis file, or a pin --handovers--> committee of each epoch up to the newest --> certificates, proofs, evidence
 *
 * Following costs one pairing a handover, 25 ms or more in JavaScript. Old committees may have lost their secret keys, so a client that runs
 * again should start from a pin of the newest epoch that it knew.
 */
import { type CertificateAggregate, createAggregateCheck } from '@slipstream/crypto/browser';
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
export interface EpochPin {
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
  /** As follow, with aggregates verified elsewhere. Not twice at once. */
  followWith(handovers: unknown, verify: VerifyAggregate): Promise<Result<CertifiedCommittee, string>>;
  /** False for an epoch that is not known. Signatures that held are remembered. */
  aggregateHolds(signature: ProofSignature): boolean;
  /** The same committees, of which nothing more is followed, with aggregates verified by `verify`. */
  withCheck(verify: (aggregate: CertificateAggregate) => boolean): EpochCommittees;
  /** Of the newest committee. */
  pin(): EpochPin;
}

/** In another thread, where a pairing holds up nothing. */
export type VerifyAggregate = (aggregate: CertificateAggregate) => Promise<boolean>;

interface EpochOptions {
  /** Newest epochs whose committees are remembered. Default: all. */
  readonly epochsMax?: number;
}

const checkHandover = createCheck(HandoverSchema);
const checkPage = createCheck(HandoverPageSchema);

/** `chain`: the genesis file's JSON, or committees followed from it. */
export function committeesOf(chain: unknown, options: EpochOptions = {}): Result<EpochCommittees, string> {
  if (isCommittees(chain)) return ok(chain);
  const parsed = genesisFromJson(chain);
  return parsed.ok ? ok(committeesOfGenesis(parsed.value, options)) : fail(parsed.error.join('; '));
}

function committeesOfGenesis(genesis: Genesis, options: EpochOptions): EpochCommittees {
  const { epoch, members } = committeeOf(genesis);
  return createCommittees(genesisHashOf(genesis), certifiedCommittee(epoch, members), genesis.chain, options);
}

/** `committee`: of the pinned epoch, as GET /v1/committee answers it. */
export function committeesOfPin(
  pin: EpochPin,
  committee: { readonly members: readonly Pick<CommitteeView['members'][number], 'weight' | 'blsPublicKey'>[] },
  options: EpochOptions = {},
): Result<EpochCommittees, string> {
  const members = committee.members.map(({ weight, blsPublicKey }) => ({
    weight,
    blsPublicKey: parseBytes(blsPublicKey),
  }));
  if (to0x(certifiedMembersHash(members)) !== pin.committeeHash) return fail('the committee is not the pinned one');
  const pinned = certifiedCommittee(epochOf(pin.epoch), members);
  return ok(createCommittees(idFromHex<GenesisHash>(pin.genesisHash), pinned, undefined, options));
}

function isCommittees(chain: unknown): chain is EpochCommittees {
  return typeof chain === 'object' && chain !== null && 'follow' in chain && typeof chain.follow === 'function';
}

function createCommittees(
  genesisHash: GenesisHash,
  root: CertifiedCommittee,
  chain: string | undefined,
  { epochsMax = Number.POSITIVE_INFINITY }: EpochOptions,
): EpochCommittees {
  const known = [root];
  const newest = () => known[known.length - 1] as CertifiedCommittee;
  const check = createAggregateCheck();
  const checks = createSignatureChecks(check.verify);
  const of = (epoch: number) => known[epoch - (known[0] as CertifiedCommittee).epoch];

  function add(committee: CertifiedCommittee): void {
    if (committee.epoch !== newest().epoch + 1) return;
    known.push(committee);
    if (known.length > epochsMax) known.shift();
  }

  /** Steps that hold if their signatures do, in order; then what does not hold. */
  function stepsIn(input: unknown): Result<Steps, string> {
    const read = readHandovers(input);
    if (!read.ok) return read;
    const fresh = read.value.filter(({ certificate }) => certificate.subject.epoch >= newest().epoch);
    const { committees, statements, rejection } = checkHandovers(genesisHash, newest(), fresh);
    const steps = statements.map((statement, at) => ({ statement, committee: committees[at] as CertifiedCommittee }));
    return ok({ steps, rejection });
  }

  const committees: EpochCommittees = {
    genesisHash,
    chain,
    newest,
    of,
    aggregateHolds: (signature) => holds(signature, of(signature.epoch), checks),
    withCheck: (verify) => ({
      ...committees,
      aggregateHolds: (signature) => holds(signature, of(signature.epoch), createSignatureChecks(verify)),
      follow: () => ok(newest()),
      followWith: async () => ok(newest()),
    }),
    follow(input) {
      const read = stepsIn(input);
      if (!read.ok) return read;
      for (const { statement, committee } of read.value.steps) {
        if (!check.verify(statement)) return falseSignature(newest());
        add(committee);
      }
      return followed(newest(), read.value);
    },
    async followWith(input, verify) {
      const read = stepsIn(input);
      if (!read.ok) return read;
      for (const { statement, committee } of read.value.steps) {
        if (!(await verify(statement))) return falseSignature(newest());
        add(committee);
      }
      return followed(newest(), read.value);
    },
    pin() {
      const { epoch, members } = newest();
      return { genesisHash: to0x(genesisHash), epoch, committeeHash: to0x(certifiedMembersHash(members)) };
    },
  };
  return committees;
}

function holds(
  signature: ProofSignature,
  committee: CertifiedCommittee | undefined,
  checks: ReturnType<typeof createSignatureChecks>,
): boolean {
  return committee !== undefined && checks.holds(signature, committee);
}

interface Steps {
  readonly steps: readonly { readonly statement: CertificateAggregate; readonly committee: CertifiedCommittee }[];
  readonly rejection: HandoverRejection | undefined;
}

function falseSignature({ epoch }: CertifiedCommittee): Result<never, string> {
  return fail(rejectionText({ epoch, fault: 'signature' }));
}

function followed(newest: CertifiedCommittee, { rejection }: Steps): Result<CertifiedCommittee, string> {
  return rejection === undefined ? ok(newest) : fail(rejectionText(rejection));
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
