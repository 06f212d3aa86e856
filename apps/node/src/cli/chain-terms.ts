import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  choice,
  count,
  flag,
  inFolder,
  type OptionValues,
  type Terminal,
  text,
  textOr,
  usageError,
} from '@slipstream/command-line';
import { HOME, ROOT } from '@slipstream/node-home';
import type { ChainTerms } from '@slipstream/node-home/chain';
import {
  ADMINISTRATORS_MAX,
  DISTILLED_DEFAULTS,
  type Governance,
  governanceFaults,
  OPERATORS_DECIDE,
  parseAccountKey,
} from '@slipstream/types';

/** Names as in genesis files, but without a leading hyphen, which looks like an option. */
const CHAIN_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

export const chainOption = textOr('slipstream', 'NAME', 'Name of the chain: lower-case letters, digits, hyphens.');

export const termOptions = {
  out: textOr('chain', 'DIR', 'Folder to make; it must not hold a chain yet.'),
  chain: chainOption,
  'consensus-preset': choice(['local', 'wan'], 'local', 'Times of the protocol.'),
  fees: choice(['free', 'metered'], 'free', 'Prices of execution.'),
  trust: text('GENESIS,...', 'Genesis files of chains whose sessions this one accepts: their root keys are trusted.'),
  allocations: text('FILE', 'What accounts own from the start: a line each, 0x01... and an amount. Default: nothing.'),
  administrators: text(
    'ACCOUNT,...',
    'Accounts that change committee and parameters. Default: the operators, by more than two thirds of the weight.',
  ),
  approvals: count(undefined, [1, ADMINISTRATORS_MAX], 'K', 'So many administrators must agree. Default: all of them.'),
  'generated-accounts': count(
    0,
    [0, 10_000_000],
    'N',
    'Funded test accounts whose keys follow from a seed in genesis.',
  ),
  application: text(
    'ARTIFACT[=INPUT],...',
    'Applications that the chain runs, each with the JSON file of what it begins with. None can be added later.',
  ),
  directory: flag('With a directory of accounts and BLS keys (slipstream account register). It cannot be added later.'),
} as const;

export function chainNameFaults(chain: string): readonly string[] {
  return CHAIN_NAME.test(chain) ? [] : [`--chain must be lower-case letters, digits and hyphens, not "${chain}"`];
}

/** Files that must not be overwritten: without its key a validator loses its vote. */
export function inTheWay(out: string, names: readonly string[]): readonly string[] {
  const there = [HOME.genesis, ROOT.keystore, ROOT.password, ...names].filter((name) => existsSync(join(out, name)));
  if (there.length === 0) return [];
  return [`${out} holds a chain already (${there.join(', ')}): choose another folder with --out, or remove it`];
}

/** Throws NodeError `usage` with `faults` and those of the terms. */
export async function readTerms(
  options: OptionValues<typeof termOptions>,
  terminal: Terminal,
  { invocation, faults }: { readonly invocation: string; readonly faults: readonly string[] },
): Promise<ChainTerms> {
  const owned = await allocationsOf(options.allocations, terminal);
  const governed = governanceOf(options);
  const all = [...faults, ...owned.faults, ...governed.faults];
  if (all.length > 0) throw usageError(invocation, all);
  return {
    chain: options.chain,
    fees: options.fees,
    generatedAccounts: options['generated-accounts'],
    allocations: owned.allocations,
    trustedIssuers: await rootKeysOf(options.trust, terminal, invocation),
    preset: options['consensus-preset'],
    governance: governed.governance,
    timestampMs: Date.now(),
    ...(options.directory && { distilled: DISTILLED_DEFAULTS }),
    applications: await applicationsOf(options.application, terminal),
  };
}

function governanceOf({ administrators, approvals }: OptionValues<typeof termOptions>): {
  readonly governance: Governance;
  readonly faults: readonly string[];
} {
  if (administrators === undefined) {
    const faults = approvals === undefined ? [] : ['--approvals is of --administrators: name them, or leave it out'];
    return { governance: OPERATORS_DECIDE, faults };
  }
  const parsed = administrators.split(',').map(parseAccountKey);
  const accounts = parsed.flatMap((account) => (account.ok ? [account.value] : []));
  const governance = { administrators: accounts, approvals: approvals ?? accounts.length };
  const malformed = parsed.flatMap((account) => (account.ok ? [] : [`--administrators: ${account.error}`]));
  const unsound = governanceFaults(governance).map((fault) => `--administrators: ${fault}`);
  return { governance, faults: malformed.length > 0 ? malformed : unsound };
}

async function applicationsOf(list: string | undefined, terminal: Terminal) {
  if (list === undefined) return [];
  const { readFoundingApplications } = await import('@slipstream/node-home/applications');
  return readFoundingApplications(list, (file) => inFolder(terminal, file));
}

async function allocationsOf(file: string | undefined, terminal: Terminal) {
  if (file === undefined) return { allocations: [], faults: [] };
  const { parseAllocations } = await import('@slipstream/node-home/chain');
  const { readText } = await import('@slipstream/node-home');
  const { allocations, faults } = parseAllocations(await readText(inFolder(terminal, file), 'allocations file'));
  return { allocations, faults: faults.map((fault) => `--allocations: ${file}: ${fault}`) };
}

/** Root keys of the trusted chains: in each, the first trusted issuer is the chain's own root key. */
async function rootKeysOf(
  files: string | undefined,
  terminal: Terminal,
  invocation: string,
): Promise<readonly Uint8Array[]> {
  const { readGenesis } = await import('@slipstream/node-home');
  const keys = (files?.split(',') ?? []).map(async (file) => {
    const { trustedIssuers } = await readGenesis(inFolder(terminal, file));
    const [rootKey] = trustedIssuers;
    if (rootKey === undefined) throw usageError(invocation, [`--trust: ${file} names no root key`]);
    return rootKey;
  });
  return Promise.all(keys);
}
