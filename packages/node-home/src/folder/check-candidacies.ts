/**
 * Checks whether a chain can begin with these candidacies. Finds all faults, each with its file and field.
 *
 *   well-formed? --> for this chain? --> signatures valid? --> no duplicates, not too many?
 */
import { badSignatures, type CandidacySignature } from '@slipstream/crypto/native';
import { to0x } from '@slipstream/primitives';
import { type Candidacy, COMMITTEE_MEMBERS_MAX, COMMITTEE_WEIGHT_MAX, candidacyFromJson } from '@slipstream/types';

/** A candidacy from its own file, or from an entry of a file. */
export interface CandidacySource {
  /** Name in messages. */
  readonly file: string;
  readonly json: unknown;
}

export interface CandidacyFault {
  readonly code: 'malformed' | 'other-chain' | 'bad-proof' | 'bad-signature' | 'duplicate' | 'too-many' | 'too-few';
  readonly file: string;
  /** Empty when the whole file is at fault. */
  readonly field: string;
  /** The fault, without file and field. */
  readonly message: string;
}

interface CheckedCandidacies {
  /** By name, validators first; complete only without faults. */
  readonly candidacies: readonly Candidacy[];
  readonly faults: readonly CandidacyFault[];
}

/** Limit of a node's reserved connections (`network.reserved`). */
export const FULL_NODES_MAX = 1000;

interface Named {
  readonly file: string;
  readonly candidacy: Candidacy;
}

/** `reportProgress` is called with the number of checked candidacies and their total. */
export function checkCandidacies(
  sources: readonly CandidacySource[],
  { chain, place }: { readonly chain: string; readonly place: string },
  reportProgress: (done: number, total: number) => void = () => {},
): CheckedCandidacies {
  const faults: CandidacyFault[] = [];
  const known = sources.flatMap(({ file, json }): Named[] => {
    const parsed = candidacyFromJson(json);
    if (parsed.ok) return [{ file, candidacy: parsed.value }];
    faults.push(...parsed.error.map((fault) => malformed(file, fault)));
    return [];
  });
  const validators = known.filter(({ candidacy }) => candidacy.validator !== undefined);
  faults.push(...amountFaults(known, validators, place), ...duplicates(known));
  // A signature takes milliseconds, so none is checked when there are too many candidacies.
  if (faults.every(({ code }) => code !== 'too-many')) {
    for (const [at, each] of known.entries()) {
      faults.push(...ownFaults(each, chain));
      reportProgress(at + 1, known.length);
    }
  }
  const rank = ({ validator }: Candidacy) => (validator === undefined ? 1 : 0);
  const candidacies = known
    .map(({ candidacy }) => candidacy)
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  return { candidacies, faults };
}

export function faultText({ file, field, message }: CandidacyFault): string {
  return `${file}: ${field === '' ? '' : `${field}: `}${message}`;
}

function malformed(file: string, fault: string): CandidacyFault {
  const colon = fault.indexOf(': ');
  return { code: 'malformed', file, field: fault.slice(0, colon), message: fault.slice(colon + 2) };
}

const SIGNATURE_FAULTS: Readonly<Record<CandidacySignature, string>> = {
  proofOfPossession: 'does not show that who made this has the secret of blsPublicKey',
  blsSignature: 'is not of the key in blsPublicKey over what this file says',
  peerSignature: 'is not of the key in peerKey over what this file says',
};

function ownFaults({ file, candidacy }: Named, chain: string): readonly CandidacyFault[] {
  if (candidacy.chain !== chain) {
    return [{ code: 'other-chain', file, field: 'chain', message: `is "${candidacy.chain}", not "${chain}"` }];
  }
  return badSignatures(candidacy).map((field) => ({
    code: field === 'proofOfPossession' ? 'bad-proof' : 'bad-signature',
    file,
    field,
    message: SIGNATURE_FAULTS[field],
  }));
}

function amountFaults(known: readonly Named[], validators: readonly Named[], place: string): readonly CandidacyFault[] {
  const fullNodes = known.length - validators.length;
  const weight = validators.reduce((sum, { candidacy }) => sum + (candidacy.validator?.weight ?? 0), 0);
  const tooMany = (field: string, message: string) => ({ code: 'too-many', file: place, field, message }) as const;
  return [
    ...(validators.length === 0
      ? [{ code: 'too-few', file: place, field: '', message: 'a chain has at least one validator' } as const]
      : []),
    ...(validators.length > COMMITTEE_MEMBERS_MAX
      ? [tooMany('', `${validators.length} validators, at most ${COMMITTEE_MEMBERS_MAX} are allowed`)]
      : []),
    ...(fullNodes > FULL_NODES_MAX
      ? [tooMany('', `${fullNodes} full nodes, at most ${FULL_NODES_MAX} have a place`)]
      : []),
    ...(weight > COMMITTEE_WEIGHT_MAX
      ? [tooMany('weight', `the weights add up to ${weight}, at most ${COMMITTEE_WEIGHT_MAX} are allowed`)]
      : []),
  ];
}

const UNIQUE: Readonly<Record<string, (candidacy: Candidacy) => string | undefined>> = {
  name: ({ name }) => name,
  address: ({ validator }) => validator?.address,
  peerKey: ({ peerKey }) => peerKey,
  blsPublicKey: ({ validator }) => validator && to0x(validator.blsPublicKey),
};

/** The fault is reported for the later one, with the file of the earlier. */
function duplicates(known: readonly Named[]): readonly CandidacyFault[] {
  return Object.entries(UNIQUE).flatMap(([field, read]) => {
    const first = new Map<string, string>();
    return known.flatMap(({ file, candidacy }): CandidacyFault[] => {
      const value = read(candidacy);
      const before = value === undefined ? undefined : first.get(value);
      if (value !== undefined && before === undefined) first.set(value, file);
      return before === undefined ? [] : [{ code: 'duplicate', file, field, message: `is that of ${before} too` }];
    });
  });
}
