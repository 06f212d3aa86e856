/** chain.json: the genesis, the root key's certificate of its committee, and the candidacies. Public, and untrusted. */
import { type Candidacy, candidacyToJson, type Genesis, genesisFromJson, genesisToJson } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import type { CandidacyFault, CandidacySource } from './check-candidacies.ts';
import { genesisFaults } from './genesis-faults.ts';

interface ChainContent {
  readonly genesis: Genesis;
  /** File content. Undefined for a committee too large for credentials. */
  readonly certificate: string | undefined;
  /** Initial protocol times of the nodes; configuration, not part of any hash. */
  readonly preset: 'local' | 'wan';
}

export interface ChainFile extends ChainContent {
  readonly sources: readonly CandidacySource[];
}

export function chainFileText({
  genesis,
  certificate,
  preset,
  candidacies,
}: ChainContent & { readonly candidacies: readonly Candidacy[] }): string {
  const json = {
    preset,
    genesis: genesisToJson(genesis),
    ...(certificate === undefined ? {} : { committeeCertificate: certificate.trim() }),
    candidacies: candidacies.map(candidacyToJson),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}

/** Checks the form only. Throws HomeError `genesis-refused`. `name` is the file's name in messages. */
export function parseChainFile(json: unknown, name: string): ChainFile {
  const root = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  const { preset, committeeCertificate: certificate, candidacies } = root;
  const genesis = genesisFromJson(root.genesis);
  const unsound = genesis.ok ? genesisFaults(genesis.value) : genesis.error;
  const wrong: (readonly [string, string])[] = [
    ...unsound.map((fault) => [`genesis.${fault.split(': ')[0]}`, afterColon(fault)] as const),
    ...(preset === 'local' || preset === 'wan' ? [] : [['preset', 'must be local or wan'] as const]),
    ...(certificate === undefined || typeof certificate === 'string'
      ? []
      : [['committeeCertificate', 'must be a 0x string'] as const]),
    ...(Array.isArray(candidacies) ? [] : [['candidacies', 'must be a list'] as const]),
  ];
  if (wrong.length > 0 || !genesis.ok) {
    refuseGenesis(wrong.map(([field, message]) => ({ code: 'malformed', file: name, field, message })));
  }
  return {
    genesis: genesis.value,
    certificate: typeof certificate === 'string' ? `${certificate}\n` : undefined,
    preset: preset === 'wan' ? 'wan' : 'local',
    sources: (candidacies as readonly unknown[]).map((each, at) => ({
      file: `${name}: candidacies[${at}]`,
      json: each,
    })),
  };
}

const afterColon = (fault: string) => fault.slice(fault.indexOf(': ') + 2);

export interface GenesisFault extends Omit<CandidacyFault, 'code'> {
  readonly code:
    | CandidacyFault['code']
    | 'other-genesis'
    | 'not-in-it'
    | 'changed'
    | 'other-members'
    | 'bad-certificate';
}

/** Throws HomeError `genesis-refused` with all faults. */
export function refuseGenesis(faults: readonly GenesisFault[]): never {
  const lines = faults.map(({ file, field, message }) => `${file}: ${field === '' ? '' : `${field}: `}${message}`);
  const message = `this genesis is not taken, nothing was written:\n  ${lines.join('\n  ')}`;
  throw new HomeError('genesis-refused', message, { faults });
}
