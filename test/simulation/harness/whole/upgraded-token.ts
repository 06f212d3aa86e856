/**
 * The token and its next version, on whole nodes: calls from genesis on, and what holds of each final block (applications.md, A13 to A17).
 *
 *   up to the boundary: version 1 in `s` "apps", each balance as version 1 writes it     above: version 2; what a call wrote, as version 2 does
 */
import type { ReadState } from '@slipstream/execution';
import { foundingApplication } from '@slipstream/node-home/applications';
import { assert, bytesEqual } from '@slipstream/primitives';
import type { SeededRandom } from '@slipstream/simulator';
import {
  type Action,
  APPLICATIONS_STATE_KEY,
  accountKeyText,
  applicationEntriesCodec,
  stateKeyOfEntry,
} from '@slipstream/types';
import {
  builtApplication,
  exampleSource,
  type TestApplication,
} from '../../../../packages/execution/test/application-builders.ts';
import { accountKeyOf } from '../accounts.ts';
import type { ChainApplications } from './applications.ts';
import type { Upgrade } from './governance.ts';
import type { ReferenceBlock } from './reference.ts';
import { ACCOUNTS } from './stores.ts';

const SECOND = new URL('../../../../packages/execution/test/applications/token-2.ts', import.meta.url);
const BALANCES = 0;
const EACH = 1_000n;
const VALUE_MAX = 60;

const versions = new Map<string, Promise<TestApplication>>();

function built(source: URL): Promise<TestApplication> {
  const known = versions.get(source.href) ?? builtApplication(source);
  versions.set(source.href, known);
  return known;
}

export interface UpgradedToken {
  readonly change: Upgrade['change'];
  readonly artifact: Uint8Array;
  /** A call of a random account, and its number. */
  draw(random: SeededRandom): { readonly account: number; readonly action: Action };
  /** Of the last checked block: balances that the next version wrote. */
  converted(): number;
  /** Throws unless the block ran the version of its epoch, and no token was made or lost. */
  check(after: ReferenceBlock): void;
  chain(hasSecond: (node: number) => boolean): ChainApplications;
}

const textOf = (account: number): string => accountKeyText(accountKeyOf(account));

export async function upgradedToken(): Promise<UpgradedToken> {
  const [first, second] = await Promise.all([built(exampleSource('token')), built(SECOND)]);
  const holders = Array.from({ length: ACCOUNTS }, (_, at) => ({ owner: textOf(at), value: EACH.toString() }));
  const keys = holders.map(({ owner }) => stateKeyOfEntry(0, BALANCES, first.json.keyFromJson(BALANCES, owner)));
  let converted = 0;
  const founding = [foundingApplication(first.artifact, { holders })];
  return {
    artifact: second.artifact,
    change: { kind: 'upgradeApplication', name: first.name, version: 2, hash: second.hash },
    draw(random) {
      const [account, to] = [random.below(ACCOUNTS), random.below(ACCOUNTS)];
      const value = String(1 + random.below(VALUE_MAX));
      const name = random.pick(['transfer', 'transfer', 'transfer', 'approve', 'transferFrom'] as const);
      if (name === 'approve') return { account, action: first.call(name, { spender: textOf(to), value }) };
      if (name === 'transfer') return { account, action: first.call(name, { to: textOf(to), value }) };
      const from = textOf(random.below(ACCOUNTS));
      return { account, action: first.call(name, { from, to: textOf(to), value }) };
    },
    converted: () => converted,
    check({ block: { epoch, height }, read }) {
      const running = epoch === 0 ? first : second;
      const at = `at height ${height} of epoch ${epoch}`;
      assertInForce(read, { version: epoch === 0 ? 1 : 2, hash: running.hash }, at);
      const values = keys.flatMap((key) => read(key) ?? []);
      converted = values.filter(([version]) => version === 2).length;
      const supply = values.reduce((sum, value) => sum + balanceIn(value, epoch, [first, second]), 0n);
      assert(supply === EACH * BigInt(ACCOUNTS), `A17: ${at} there are ${supply} tokens`);
    },
    chain: (hasSecond) => ({
      founding,
      acceptedBy: (node) => (hasSecond(node) ? [second.artifact] : []),
    }),
  };
}

/** Of one application. */
function assertInForce(
  read: ReadState,
  expected: { readonly version: number; readonly hash: Uint8Array },
  at: string,
): void {
  const entries = applicationEntriesCodec.decode(read(APPLICATIONS_STATE_KEY) ?? new Uint8Array(0));
  const [entry] = entries.ok ? entries.value : [];
  const isRight = entry?.version === expected.version && bytesEqual(entry.hash, expected.hash);
  assert(isRight, `A15: ${at} version ${entry?.version} is in force, expected ${expected.version}`);
}

/** By the version that wrote it, which is none above the epoch's. */
function balanceIn(
  value: Uint8Array,
  epoch: number,
  [first, second]: readonly [TestApplication, TestApplication],
): bigint {
  const [version = 0] = value;
  assert(version === 1 || epoch > 0, `A15: version ${version} wrote a balance before its epoch`);
  const { json } = version === 1 ? first : second;
  const shown = json.valueToJson(BALANCES, value).value as string | { readonly value: string };
  return BigInt(typeof shown === 'string' ? shown : shown.value);
}
