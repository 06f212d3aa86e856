/** Values that are valid alone, but not together. */
import { optionFaults } from '@slipstream/consensus/options';
import { consensusOptions } from './consensus-times.ts';
import type { Config } from './keys.ts';

/** One line per fault. */
export function combinationFaults(config: Config): readonly string[] {
  return [...timeFaults(config), ...portFaults(config)];
}

function timeFaults(config: Config): readonly string[] {
  const preset = config['consensus.preset'];
  return optionFaults(consensusOptions(config)).map((fault) => `consensus, with the preset ${preset}: ${fault}`);
}

const EVERY_INTERFACE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '[::]']);

/** Finds equal ports here: at the start the second listener would blame another program. */
function portFaults(config: Config): readonly string[] {
  const listen = config['network.listen'];
  const colon = listen.lastIndexOf(':');
  const [host, port] = [listen.slice(0, colon), Number(listen.slice(colon + 1))];
  const [apiHost, apiPort] = [config['api.host'], config['api.port']];
  const isShared = host === apiHost || EVERY_INTERFACE.has(host) || EVERY_INTERFACE.has(apiHost);
  if (!config['api.enabled'] || port === 0 || port !== apiPort || !isShared) return [];
  return [`network.listen and api.port are both port ${port}: choose another for one of them`];
}
