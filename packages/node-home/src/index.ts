/** The home folder of a node: its places and files, its configuration. Keys and chains are entries of their own, as they load native code. */
export { parseCheckpoint } from './config/checkpoint.ts';
export { consensusOptions } from './config/consensus-times.ts';
export type { FaultMessage, Faults } from './config/development-faults.ts';
export { FLEET_NODES_MAX, type FleetMember, parseFleetMember } from './config/fleet-member.ts';
export { CONFIG_KEYS, type Config, environmentName, flagName } from './config/keys.ts';
export { parseLinkDelay } from './config/link-delay.ts';
export { loadConfig, printConfig, strayVariables } from './config/load.ts';
export { OFFERS_TOO_LITTLE_REMEDY, offersTooLittle } from './config/snapshot-offers.ts';
export { HomeError } from './errors.ts';
export {
  ADMIN_TOKEN,
  readAdminToken,
  readGenesis,
  readPassword,
  readSecret,
  readText,
  readTextIfAny,
  writeText,
} from './folder/files.ts';
export { isCandidate } from './folder/folder-state.ts';
export { BEGINS_LATER_REMEDY, beginsLater } from './folder/genesis-begin.ts';
export { CHAIN_FILE, DATA, HOME, nodeNames, ROOT } from './folder/layout.ts';
