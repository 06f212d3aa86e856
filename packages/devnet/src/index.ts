/** Networks of real node processes on this machine. For development: product code must not import it. */
export { type AppDevelopment, startAppDevelopment } from './app-development.ts';
export { holdsChain, makeChain, type NodeFolder, readChain } from './chain-folder.ts';
export { blockIds, disagreements, notFinal, signedAt } from './chain-reading.ts';
export { type Cluster, type ClusterNode, createCluster, logEnd } from './cluster.ts';
export { DevnetError } from './errors.ts';
export type { FleetMember } from './gateway/fleet-control.ts';
export { type Gateway, startGateway } from './gateway/gateway.ts';
export {
  holdsIdentityChain,
  type IdentityChain,
  identityPortFaults,
  identityPorts,
  openIdentityChain,
} from './identity-chain.ts';
export { REGIONS, readRoundTrips, regionsOf } from './latency.ts';
export { createNodeProcess, type NodeProcess } from './node-process.ts';
export { freePortRange, isFree, takenPorts } from './ports.ts';
export { shareGenesisState } from './shared-genesis.ts';
export {
  eventually,
  heightsOf,
  removeFolder,
  type TemporaryNetwork,
  temporaryFolder,
  temporaryNetwork,
  untilHeight,
} from './temporary-network.ts';
export { type Watch, watchCluster } from './watch.ts';
