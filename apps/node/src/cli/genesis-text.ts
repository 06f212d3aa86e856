/** The text of a genesis that people compare before they begin a chain together. */
import { to0x } from '@slipstream/primitives';
import { accountKeyText, type Candidacy, candidacyToJson, type Genesis, genesisHashOf } from '@slipstream/types';

interface GenesisAgreement {
  readonly genesis: Genesis;
  readonly preset: string;
  readonly candidacies: readonly Candidacy[];
}

export function agreementJson({ genesis, preset, candidacies }: GenesisAgreement) {
  const genesisHash = to0x(genesisHashOf(genesis));
  return { chain: genesis.chain, genesisHash, preset, nodes: candidacies.map(candidacyToJson) };
}

export function agreementText({ genesis, preset, candidacies }: GenesisAgreement): string {
  const total = genesis.members.reduce((sum, { weight }) => sum + weight, 0);
  const width = Math.max(...candidacies.map(({ name }) => name.length));
  const nodes = candidacies.map(({ name, peerKey, validator }) => {
    const share = validator && `weight ${validator.weight} of ${total}`;
    const role = validator === undefined ? 'full node' : `validator, ${share}, ${validator.address}`;
    return `  ${name.padEnd(width)}  ${peerKey.slice(0, 16)}...  ${role}`;
  });
  return [`chain ${genesis.chain}, genesis ${to0x(genesisHashOf(genesis))}`, ...nodes, ...terms(genesis, preset)].join(
    '\n',
  );
}

function governors({ governance: { administrators, approvals } }: Genesis): string {
  if (administrators.length === 0) return 'the operators of more than two thirds of the weight';
  return `${approvals} of the administrators ${administrators.map(accountKeyText).join(', ')}`;
}

function terms(genesis: Genesis, preset: string): readonly string[] {
  const { allocations, generated, fees, trustedIssuers } = genesis;
  const owned = allocations.reduce((sum, { balance }) => sum + balance, 0n);
  const isFree = [...fees.initialPrices, ...fees.minimumPrices].every((price) => price === 0n);
  const others = Math.max(0, trustedIssuers.length - 1);
  return [
    `  begins ${new Date(genesis.timestampMs).toISOString()}, preset ${preset}, ${isFree ? 'no fees' : 'with fees'}`,
    `  ${allocations.length} accounts own ${owned} at the start; other chains trusted: ${others}`,
    ...(generated.count > 0
      ? [`  ${generated.count} test accounts own ${generated.balance} each: anybody has their keys`]
      : []),
    `  committee and parameters are changed by ${governors(genesis)}`,
    ...(genesis.development ? ['  a development chain: it allows a faucet, and faults on purpose'] : []),
  ];
}
