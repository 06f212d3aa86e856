/**
 * The keys of the configuration: the one table from which file, environment, flags and --print-config derive. A test compares the
 * operators' guide.
 *
 *   file:        api:\n  port: 8080
 *   environment: SLIPSTREAM_API_PORT=8080
 *   flag:        --api-port 8080
 */

import { parseTrustedProxy } from '@slipstream/api/addresses';
import { VOTE_CHECKS } from '@slipstream/consensus/options';
import { checkAllowedHost, checkAllowedOrigin } from './allowed.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { FLEET_NODES_MAX, parseFleetMember } from './fleet-member.ts';
import { checkFollowed, FOLLOWED_MAX } from './followed.ts';
import { parseLinkDelay } from './link-delay.ts';

export type ConfigValue = string | number | boolean | readonly string[];

interface Key<T extends ConfigValue> {
  readonly default: T;
  readonly about: string;
  /** Parses text, or a list of texts of the file. Throws RangeError with the expected form. */
  parse(raw: unknown): T;
}

function text(
  fallback: string,
  about: string,
  pattern?: { readonly match: Pick<RegExp, 'test'>; readonly is: string },
): Key<string> {
  return {
    default: fallback,
    about,
    parse(raw) {
      if (typeof raw !== 'string') throw new RangeError('must be text');
      if (pattern && !pattern.match.test(raw)) throw new RangeError(`must be ${pattern.is}, not "${raw}"`);
      return raw;
    },
  };
}

/** The first is the default. */
function oneOf<T extends string>(options: readonly [T, ...T[]], about: string): Key<T> {
  return {
    default: options[0],
    about,
    parse(raw) {
      const chosen = options.find((option) => option === raw);
      if (chosen === undefined) throw new RangeError(`must be one of ${options.join(', ')}, not "${raw}"`);
      return chosen;
    },
  };
}

function integer(fallback: number, min: number, max: number, about: string): Key<number> {
  return {
    default: fallback,
    about,
    parse(raw) {
      const value = typeof raw === 'string' && /^-?[0-9]+$/.test(raw) ? Number(raw) : Number.NaN;
      if (!(value >= min && value <= max)) {
        throw new RangeError(`must be a whole number from ${min} to ${max}, not ${JSON.stringify(raw)}`);
      }
      return value;
    },
  };
}

function flag(about: string): Key<boolean> {
  return {
    default: false,
    about,
    parse(raw) {
      const value = typeof raw === 'string' ? raw.toLowerCase() : undefined;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      throw new RangeError(`must be true or false, not ${JSON.stringify(raw)}`);
    },
  };
}

function list(about: string): Key<readonly string[]> {
  return {
    default: [],
    about,
    parse(raw) {
      const items: unknown = typeof raw === 'string' ? raw.split(',') : raw;
      if (!Array.isArray(items) || items.some((item) => typeof item !== 'string')) {
        throw new RangeError('must be a list of texts (in an environment variable: separated by commas)');
      }
      return (items as readonly string[]).map((item) => item.trim()).filter((item) => item !== '');
    },
  };
}

/** Items stay as written. `check` throws RangeError with the expected form. */
function checked(
  about: string,
  check: (item: string) => unknown,
  most?: { readonly count: number; readonly of: string },
): Key<readonly string[]> {
  const items = list(about);
  return {
    ...items,
    parse(raw) {
      const parsed = items.parse(raw);
      if (most && parsed.length > most.count) throw new RangeError(`must have at most ${most.count} ${most.of}`);
      for (const each of parsed) check(each);
      return parsed;
    },
  };
}

/** Peer keys in either case, without duplicates; at most FULL_NODES_MAX. */
function peerKeys(about: string): Key<readonly string[]> {
  const items = list(about);
  return {
    ...items,
    parse(raw) {
      const parsed = items.parse(raw).map((key) => key.replace(/^0x/, '').toLowerCase());
      const wrong = parsed.find((key) => !PEER_KEY.test(key));
      if (wrong !== undefined) {
        throw new RangeError(
          `must have peer keys of 64 hexadecimal digits each (slipstream keys show), not "${wrong}"`,
        );
      }
      const twice = parsed.find((key, at) => parsed.indexOf(key) !== at);
      if (twice !== undefined) throw new RangeError(`names the peer key ${twice} twice`);
      if (parsed.length > FULL_NODES_MAX) throw new RangeError(`must have at most ${FULL_NODES_MAX} peer keys`);
      return parsed;
    },
  };
}

/** Addresses with peer keys, in either case and without duplicates. */
function peerAddresses(about: string): Key<readonly string[]> {
  const items = list(about);
  return {
    ...items,
    parse(raw) {
      const parsed = items.parse(raw);
      const wrong = parsed.find((entry) => !PEER_ADDRESS.test(entry) || !hasPort(entry));
      if (wrong !== undefined) {
        throw new RangeError(`must have entries <peer key of 64 hexadecimal digits>@<host:port>, not "${wrong}"`);
      }
      const entries = parsed.map((entry) => entry.replace(PEER_OF_ADDRESS, (key) => key.toLowerCase()));
      const keys = entries.map((entry) => entry.replace(/^0x/, '').slice(0, 64));
      const twice = keys.find((key, at) => keys.indexOf(key) !== at);
      if (twice !== undefined) throw new RangeError(`names the peer key ${twice} twice`);
      return entries;
    },
  };
}

const PORT_MAX = 65_535;
const PEER_ADDRESS = /^(0x)?[0-9a-fA-F]{64}@(\/.+|.+:[0-9]{1,5})$/;
const PEER_OF_ADDRESS = /^[^@]*/;
/** Checks the port of `host:port`; a multiaddr has another form. */
const hasPort = (address: string) => Number(/:([0-9]+)$/.exec(address)?.[1] ?? 0) <= PORT_MAX;
const PEER_KEY = /^[0-9a-f]{64}$/;
const FULL_NODES_MAX = 1000;
const PROXIES_MAX = 64;
const HOST_PORT = {
  match: { test: (address: string) => /^.+:[0-9]{1,5}$/.test(address) && hasPort(address) },
  is: `host:port, with a port up to ${PORT_MAX}`,
};
/** Not empty: the system would listen on every interface. */
const HOST = {
  match: /^[^\s/]+$/,
  is: 'an address or a name of this machine, such as 127.0.0.1 (0.0.0.0 is every interface)',
};
const PRESET = { match: /^(local|wan)$/, is: 'local or wan' };
const ENDPOINT = { match: /^$|^https?:\/\/[^\s/]+(\/\S*)?$/, is: 'an http or https address' };
const LEVEL = { match: /^(debug|info|warn|error)$/, is: 'debug, info, warn or error' };
const DAY_MS = 86_400_000;

export const CONFIG_KEYS = {
  name: text('node', 'Name of this node.'),
  genesis: text('genesis.json', 'Genesis file, relative to the home folder.'),
  'keys.bls': text('', 'BLS keystore (EIP-2335). Empty: this node does not validate.'),
  'keys.blsPassword': text('keys/bls.password', 'File with the password of the BLS keystore.'),
  'keys.peer': text('keys/peer.seed', 'File with the seed of the network key: 64 hexadecimal digits.'),
  'account.keyFile': text(
    '',
    'File with the secret of an account of the chain, which pays for what this node sends by itself. Empty: it sends nothing.',
  ),
  'network.listen': text('127.0.0.1:9000', 'Address that peers connect to.', HOST_PORT),
  'network.peers': peerAddresses('Peers to keep connected to, each "<peer key>@<host:port>".'),
  'network.fullNodes': integer(16, 0, FULL_NODES_MAX, 'Slots for full nodes; 0: reserved ones only.'),
  'network.reserved': peerKeys('Peer keys of full nodes with a reserved slot.'),
  'network.delays': checked(
    'Development: delays added to received frames, each "<peer key>=<ms>+<jitter ms>".',
    parseLinkDelay,
  ),
  'api.enabled': { ...flag('Serve REST, streams and the console.'), default: true },
  'api.host': text('127.0.0.1', 'Interface of the API.', HOST),
  'api.port': integer(8080, 0, PORT_MAX, 'Port of the API; 0 takes a free one.'),
  'api.allowHosts': checked('Host names accepted in requests, besides localhost and addresses.', checkAllowedHost),
  'api.allowOrigins': checked('Additional origins whose pages may open a stream.', checkAllowedOrigin),
  'api.trustedProxies': checked(
    'Addresses or networks of reverse proxies whose X-Forwarded-For is trusted.',
    parseTrustedProxy,
    { count: PROXIES_MAX, of: 'addresses and networks' },
  ),
  'api.keepAliveMs': integer(
    75_000,
    1_000,
    DAY_MS,
    'Idle connections are closed after this; longer than a balancer or proxy in front keeps its own.',
  ),
  'api.adminTokenFile': text('', 'File with the token of the admin routes. Empty: admin routes are disabled.'),
  'api.adminFromAnywhere': flag('Allow admin routes from other machines (for a published container port).'),
  'broker.enabled': {
    ...flag(
      'Take rows of clients and make distilled batches, if this node has an API and the chain has an account directory.',
    ),
    default: true,
  },
  'fleet.nodes': checked(
    'Other nodes relayed to the console of this node, each "<name>=<url of its API>".',
    parseFleetMember,
    { count: FLEET_NODES_MAX, of: 'nodes' },
  ),
  'consensus.preset': text('local', 'Protocol times: local (one machine or site) or wan.', PRESET),
  'consensus.minBlockIntervalMs': integer(-1, -1, DAY_MS, 'Override of the preset; -1: preset.'),
  'consensus.idleBlockIntervalMs': integer(-1, -1, DAY_MS, 'Override of the preset; -1: preset.'),
  'consensus.leaderTimeoutMs': integer(-1, -1, DAY_MS, 'Override of the preset; -1: preset.'),
  'consensus.viewTimeoutMs': integer(-1, -1, DAY_MS, 'Override of the preset; -1: preset.'),
  'consensus.earlyVoteViews': integer(
    -1,
    -1,
    1,
    'Views ahead in which a validator may vote for the child of its own vote: 1 or 0; -1: preset. Validators may differ.',
  ),
  'dissemination.acks': oneOf<'always' | 'on-demand'>(
    ['on-demand', 'always'],
    'Which chunks of this validator ask for storage acks: on-demand (when a client waits for attested, or blocks leave chunks out), or always. Validators may differ.',
  ),
  'pipeline.mode': text('parallel', 'parallel, or sequential for comparison.', {
    match: /^(parallel|sequential)$/,
    is: 'parallel or sequential',
  }),
  'sync.distance': integer(
    1000,
    0,
    1e9,
    'Distance in heights from which a node state-syncs, at start or while it runs; 0: never.',
  ),
  'sync.snapshotEvery': integer(
    512,
    0,
    1e6,
    'State batches (one per block, after those of genesis) between snapshots for joining nodes; equal on all nodes; 0: none.',
  ),
  'sync.snapshotsKept': integer(2, 1, 16, 'Number of retained snapshots.'),
  'sync.checkpoint': text(
    '',
    'Committee of an epoch, "<epoch>:<hash>" as slipstream epochs shows it at a node that you trust; another one stops this node. Empty: none.',
    {
      match: { test: (given) => given === '' || parseCheckpoint(given) !== undefined },
      is: '<epoch>:<hash of 64 hexadecimal digits>',
    },
  ),
  'retention.blocks': integer(10_000_000, 1, 1e12, 'Retained committed blocks; requests for older ones answer 410.'),
  'retention.archive': flag('Retain every block and chunk; such a node never state-syncs.'),
  'sessions.committeeCertificate': text(
    '',
    "Certificate of this chain's committee by its root key, with which other chains accept its sessions. Empty: none.",
  ),
  'sessions.follow': checked(
    'Nodes of chains whose sessions this one accepts, each by its URL: changes of their committees are sent to this chain.',
    checkFollowed,
    { count: FOLLOWED_MAX, of: 'URLs' },
  ),
  'verifier.workers': integer(0, 0, 64, 'Verifier threads; 0: chosen by the number of cores.'),
  'applications.workers': integer(
    -1,
    -1,
    64,
    'Threads that run calls of parallel actions ahead of the executor; 0: none; -1: chosen by the number of cores. Validators may differ.',
  ),
  'recorder.enabled': {
    ...flag('Record the input of consensus for "slipstream replay".'),
    default: true,
  },
  'recorder.megabytes': integer(64, 8, 65_536, 'Disk space for recordings; the oldest are deleted first.'),
  'log.level': text('info', 'Log level.', LEVEL),
  'tracing.endpoint': text(
    '',
    'OTLP/HTTP endpoint for traces of transactions, such as http://127.0.0.1:4318/v1/traces. Empty: no traces.',
    ENDPOINT,
  ),
  'tracing.oneIn': integer(100, 1, 1e9, 'Trace one transaction in so many; equal on all nodes.'),
  'development.faucetKey': text('', 'File with the secret of the account that funds the faucet.'),
  'development.faults': flag('Accept injected faults from the parent process (development networks).'),
  'development.divergeAt': integer(
    -1,
    -1,
    1e12,
    'Execute incorrectly from this height on, to test divergence; -1: never.',
  ),
  'development.forgetVerified': flag(
    'Remember no verified signature and no credential, to measure what remembering saves.',
  ),
  'development.profileTurns': flag(
    'Count the turns of the event loops and their processor time by kind, to find what a block costs.',
  ),
  'development.checkSingly': flag('Check each BLS statement alone, to measure what batches save.'),
  'development.corruptSignatures': flag('Corrupt the signatures of this validator, to test detection and blocking.'),
  'development.falseBalances': flag('Answer with false balances, to show that proofs reveal them.'),
  'development.rulesVersion': integer(
    -1,
    -1,
    65_535,
    'Version of the rules that this program pretends to know, to play an upgrade; -1: its own.',
  ),
  'development.voteChecks': oneOf(
    VOTE_CHECKS,
    'When votes are verified, to compare: at-quorum (once, as a sum), on-arrival (each alone) or until-quorum (each alone, unless late).',
  ),
} as const satisfies Readonly<Record<string, Key<ConfigValue>>>;

export type ConfigKey = keyof typeof CONFIG_KEYS;
export type Config = { readonly [K in ConfigKey]: ReturnType<(typeof CONFIG_KEYS)[K]['parse']> };

/** The name of a key's flag, without the dashes: `api-port`. */
export function flagName(key: string): string {
  return key
    .replaceAll('.', '-')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase();
}

export function environmentName(key: ConfigKey): string {
  return `SLIPSTREAM_${flagName(key).replaceAll('-', '_').toUpperCase()}`;
}
