import { join, resolve } from 'node:path';
import { type Config, HOME, parseFleetMember, readAdminToken, readSecret } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import { type ApiThread, startApiThread } from '../api-thread/api.ts';
import { tracedOneIn } from '../tracing/tracing.ts';
import { VERSION } from '../version.ts';
import type { NodeWorld } from './node-world.ts';
import type { NodeStart } from './running-node.ts';

export async function startApi(
  { home, config, consoleFolder }: NodeStart,
  identity: Identity,
  { clock, telemetry, turns, fail }: Pick<NodeWorld, 'clock' | 'telemetry' | 'turns' | 'fail'>,
): Promise<ApiThread> {
  const { genesis, genesisHash, applications, accepted, committeeCertificate } = identity;
  const tokenFile = config['api.adminTokenFile'];
  const token = tokenFile === '' ? undefined : await readAdminToken(resolve(home, tokenFile));
  const secretFile = resolve(home, config['development.faucetKey']);
  return startApiThread(
    { clock, telemetry, turns, fail },
    {
      genesis,
      genesisHash,
      applications,
      accepted,
      committeeCertificate,
      tracedOneIn: tracedOneIn(config),
      profilesTurns: config['development.profileTurns'],
      folder: join(home, HOME.data),
      options: {
        host: config['api.host'],
        port: config['api.port'],
        consoleFolder,
        hostAllowList: config['api.allowHosts'],
        originAllowList: config['api.allowOrigins'],
        trustedProxies: config['api.trustedProxies'],
        admin: { token, loopbackOnly: !config['api.adminFromAnywhere'] },
        version: VERSION,
        limits: { keepAliveMs: config['api.keepAliveMs'] },
      },
      broker: isBroker(identity, config) ? identity.peer : undefined,
      fleet: config['fleet.nodes'].map(parseFleetMember),
      faucetSecret: hasFaucet(identity, config)
        ? await readSecret(secretFile, 'secret of the faucet account')
        : undefined,
      lies: genesis.development && config['development.falseBalances'],
    },
  );
}

function isBroker({ genesis }: Identity, config: Config): boolean {
  return genesis.distilled !== undefined && config['api.enabled'] && config['broker.enabled'];
}

export function hasFaucet({ genesis }: Identity, config: Config): boolean {
  return genesis.development && config['development.faucetKey'] !== '';
}
