import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badSignatures } from '@slipstream/crypto/native';
import { HOME } from '@slipstream/node-home';
import { readCandidate } from '@slipstream/node-home/chain';
import { type Finding, fault, ok, runCheck } from './finding.ts';
import { permissions } from './folder.ts';

const SECRETS = [HOME.blsKeystore, HOME.blsPassword, HOME.peerSeed, HOME.adminToken];

export async function checkCandidate(home: string): Promise<readonly Finding[]> {
  const secrets = SECRETS.map((name) => join(home, name)).filter((path) => existsSync(path));
  const hasCandidacy = existsSync(join(home, HOME.candidacy));
  return [
    ...(hasCandidacy ? await runCheck('candidacy', () => checkCandidacy(home)) : [noCandidacy(home)]),
    ...(await Promise.all(secrets.map(permissions))),
    noGenesis(home),
  ];
}

function noCandidacy(home: string): Finding {
  const remedy = `For a new chain: slipstream genesis candidate --home ${home} (it keeps the keys).`;
  return fault('candidacy', 'none: the folder has keys only', remedy);
}

async function checkCandidacy(home: string): Promise<readonly Finding[]> {
  const candidacy = await readCandidate(home);
  const { chain, name, peerKey, validator } = candidacy;
  const bad = badSignatures(candidacy);
  if (bad.length > 0) {
    const remedy = 'Create it again: slipstream genesis candidate. It keeps the keys.';
    return [fault('candidacy', `${join(home, HOME.candidacy)} was changed: ${bad.join(', ')} do not hold`, remedy)];
  }
  const role = validator === undefined ? 'full node' : `validator at ${validator.address}, weight ${validator.weight}`;
  return [ok('candidacy', `${name} for chain ${chain}: ${role}, network key ${peerKey.slice(0, 16)}...`)];
}

function noGenesis(home: string): Finding {
  const remedy = `Send ${HOME.candidacy} to the operator who creates the genesis; then: slipstream genesis accept chain.json --home ${home}`;
  return fault('genesis', 'none yet: this node cannot start', remedy);
}
