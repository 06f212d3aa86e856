/**
 * Founds a chain: a genesis from its members and terms, a root key, and that key's certificate of the committee. `init` makes the
 * members' keys itself; `genesis create` has only their public halves.
 *
 *   <out>/genesis.json, applications/  <out>/root.keystore.json, root.password (keep offline)
 */
import { join } from 'node:path';
import { LOCAL_OPTIONS, WAN_OPTIONS } from '@slipstream/consensus/options';
import { createBlsSigner, ed25519PublicKey, generateBlsSecretKey } from '@slipstream/crypto/native';
import { applicationWrites, ExecutionError, FREE_FEES, METERED_FEES } from '@slipstream/execution';
import type { Random } from '@slipstream/ports';
import { DEFAULT_PARAMETERS } from '@slipstream/state';
import {
  type DistilledParameters,
  ed25519Account,
  type Genesis,
  type GenesisMember,
  type Governance,
  genesisFromJson,
  genesisToJson,
  OPERATORS_DECIDE,
  TIME_NAMES,
  type TimeParameters,
} from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { type FoundingApplication, inGenesis } from './applications.ts';
import { keepApplications } from './artifact-files.ts';
import { certifyCommittee } from './committee-certificate.ts';
import { genesisText, writeText } from './files.ts';
import { genesisFaults } from './genesis-faults.ts';
import { HOME, ROOT } from './layout.ts';
import { loadApplications } from './loaded-applications.ts';
import { SECRET_BYTES, writeKeystore } from './node-keys.ts';

export interface ChainTerms {
  readonly chain: string;
  readonly fees: 'free' | 'metered';
  readonly generatedAccounts: number;
  /** Initial balances, besides the faucet's and the generated accounts; none when missing. */
  readonly allocations?: Genesis['allocations'];
  readonly timestampMs: number;
  /** Root keys of other chains whose sessions this one accepts. */
  readonly trustedIssuers?: readonly Uint8Array[];
  /** Default: off. */
  readonly leaderReputation?: boolean;
  /** Of consensus: its times. */
  readonly preset: 'local' | 'wan';
  /** Default: the operators decide. */
  readonly governance?: Governance;
  /** Default: no account directory. */
  readonly distilled?: DistilledParameters;
  /** Default: none. */
  readonly applications?: readonly FoundingApplication[];
}

export interface FoundedChain {
  readonly genesis: Genesis;
  readonly text: string;
  /** Content of the certificate's file; undefined for a committee too large for credentials. */
  readonly certificate: string | undefined;
  /** Of the applications in genesis. */
  readonly artifacts: readonly Uint8Array[];
}

/** Long enough that renewals are rare, short enough that a lost root key expires. */
const COMMITTEE_CERTIFICATE_MS = 365 * 24 * 60 * 60 * 1000;

/** Enough for any test, far below 2^64. */
const FAUCET_BALANCE = 10n ** 18n;
const GENERATED_BALANCE = 1_000_000_000n;

/** A faucet's secret makes it a development chain. Throws HomeError `usage`, and writes nothing, when nodes would reject the genesis. */
export async function foundChain(
  random: Random,
  out: string,
  terms: ChainTerms,
  members: readonly GenesisMember[],
  faucetSecret: Uint8Array | undefined,
): Promise<FoundedChain> {
  const rootSecret = generateBlsSecretKey(random.bytes(SECRET_BYTES));
  const root = createBlsSigner(rootSecret);
  const faucet = faucetSecret && { account: ed25519Account(ed25519PublicKey(faucetSecret)), balance: FAUCET_BALANCE };
  const genesis: Genesis = {
    chain: terms.chain,
    timestampMs: terms.timestampMs,
    development: faucet !== undefined,
    members,
    allocations: [...(faucet ? [faucet] : []), ...(terms.allocations ?? [])],
    generated: {
      seed: random.bytes(SECRET_BYTES),
      count: terms.generatedAccounts,
      balance: terms.generatedAccounts > 0 ? GENERATED_BALANCE : 0n,
    },
    fees: terms.fees === 'free' ? FREE_FEES : METERED_FEES,
    times: timesOf(terms.preset === 'local' ? LOCAL_OPTIONS : WAN_OPTIONS),
    state: DEFAULT_PARAMETERS,
    trustedIssuers: [root.publicKey, ...(terms.trustedIssuers ?? [])],
    leaderReputation: terms.leaderReputation ?? false,
    governance: terms.governance ?? OPERATORS_DECIDE,
    ...(terms.distilled && { distilled: terms.distilled }),
    ...(terms.applications?.length && { applications: terms.applications.map(inGenesis) }),
  };
  refuseUnsound(genesis);
  const artifacts = terms.applications?.map(({ artifact }) => artifact) ?? [];
  refuseApplications(genesis, artifacts);
  const text = genesisText(genesis);
  await writeText(join(out, HOME.genesis), text);
  await keepApplications(out, artifacts);
  await writeKeystore(random, out, ROOT, rootSecret, `${terms.chain} root`);
  const certificate = certifyCommittee(root, genesis, terms.timestampMs + COMMITTEE_CERTIFICATE_MS);
  return { genesis, text, certificate, artifacts };
}

function timesOf(options: TimeParameters): TimeParameters {
  return Object.fromEntries(TIME_NAMES.map((name) => [name, options[name]])) as unknown as TimeParameters;
}

/** Checks the genesis as each node does at its start. */
function refuseUnsound(genesis: Genesis): void {
  const parsed = genesisFromJson(genesisToJson(genesis));
  const faults = parsed.ok ? genesisFaults(parsed.value) : parsed.error;
  if (faults.length === 0) return;
  const message = `no chain is made: its nodes could not live by this genesis:\n  ${faults.join('\n  ')}`;
  throw new HomeError('usage', message, { faults });
}

/** Runs their genesis functions, as each node does at its first start. */
function refuseApplications(genesis: Genesis, artifacts: readonly Uint8Array[]): void {
  try {
    applicationWrites(genesis, loadApplications(artifacts));
  } catch (error) {
    if (!(error instanceof ExecutionError)) throw error;
    throw new HomeError('usage', `no chain is made: ${error.message}`, error.data, error);
  }
}
