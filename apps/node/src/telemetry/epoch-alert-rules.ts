import { OLD_TRUST_REMEDY, oldTrustText } from '../epochs/checkpoint.ts';
import type { AlertRule, Vitals } from './alert-rule.ts';

/** A boundary comes a few views after the seal is certified. */
const SEALED_BLOCKS_MAX = 64;

export const EPOCH_ALERT_RULES: readonly AlertRule[] = [
  {
    name: 'sealed-not-closed',
    severity: 'warning',
    threshold: `more than ${SEALED_BLOCKS_MAX} blocks since a record was sealed, and its epoch has not begun`,
    remedy:
      'The chain goes on with the present committee. Compare the record at /v1/epochs with other nodes, and see whether leaders run the same version and have certified state.',
    message: ({ epoch }) =>
      epoch?.isSealed && epoch.blocksSinceSeal > SEALED_BLOCKS_MAX
        ? `epoch ${epoch.epoch + 1} is sealed and has not begun`
        : undefined,
  },
  {
    name: 'not-ready',
    severity: 'warning',
    threshold: "the chain waits for the readiness of this node's next keys, or of this candidate",
    remedy:
      'Start the node with these keys. When it is synced and connected, it reports by itself if it has an account (account.keyFile); else: slipstream validator ready.',
    message: ({ epoch }) =>
      epoch?.ownKey === 'awaited' ? 'this validator has not reported readiness with its new keys' : undefined,
  },
  {
    name: 'version-unknown',
    severity: 'warning',
    threshold: 'a record or an open proposal names a version of the rules that this program does not know',
    remedy:
      'Install a program that knows it. It reports so if it has an account (account.keyFile); else: slipstream validator ready. A node that does not know the version of an epoch stops at its beginning.',
    message: ({ epoch }) =>
      epoch?.unknownVersion === undefined
        ? undefined
        : `version ${epoch.unknownVersion} of the rules is proposed or sealed, and this program does not know it`,
  },
  {
    name: 'artifact-missing',
    severity: 'warning',
    threshold: 'a record or an open proposal names an artifact of an application that this node lacks',
    remedy:
      'The node fetches it from peers that have it, while a proposal or a record names it; slipstream app artifacts shows how far it is. If no peer has it, ask those who propose it for the file: slipstream app accept FILE. A node without an artifact of an epoch stops at its beginning.',
    message: ({ epoch }) =>
      epoch?.missingArtifact === undefined
        ? undefined
        : `artifact ${epoch.missingArtifact} is proposed or sealed, and this node lacks it`,
  },
  {
    name: 'artifact-not-accepted',
    severity: 'warning',
    threshold:
      'a record or an open proposal names an artifact of an application that this node has fetched, and its operator has not accepted',
    remedy:
      'Compare the hash with that of the sources that you checked, as a program of the node: slipstream app accept HASH, on the running node. It reports so if it has an account (account.keyFile); else: slipstream validator ready. A node that has not accepted an artifact of an epoch stops at its beginning.',
    message: ({ epoch }) =>
      epoch?.unacceptedArtifact === undefined
        ? undefined
        : `artifact ${epoch.unacceptedArtifact} is proposed or sealed, and waits to be accepted here`,
  },
  {
    name: 'action-quarantined',
    severity: 'warning',
    threshold: 'this node keeps an action of an application out of its pool and its blocks',
    remedy:
      'See slipstream app quarantine. A call that ran for more than 10 s put it there, or an operator. Ask who wrote the application for an upgrade, and lift it afterwards: slipstream app quarantine NAME.ACTION --lift.',
    message: ({ quarantined }) => (quarantined.length === 0 ? undefined : `${quarantined.join(', ')} is in quarantine`),
  },
  {
    name: 'benched',
    severity: 'warning',
    threshold: 'this validator leads no view, because it lost its turns',
    remedy:
      'Find why its blocks came too late: Storage, Peers, the log. Once it is well, from the height in the message on, it reports readiness by itself if it has an account (account.keyFile); else: slipstream validator ready. It votes meanwhile.',
    message: ({ epoch }) =>
      epoch?.benchedUntil === undefined
        ? undefined
        : `this validator lost its turns and leads no view; its readiness counts from height ${epoch.benchedUntil} on`,
  },
  {
    name: 'removed',
    severity: 'warning',
    threshold: 'this validator is no longer in the committee',
    remedy:
      'Stop it, or run it as a full node with keys.bls empty. Erase its BLS key: slipstream keys retire. It may join again with a new key.',
    message: ({ epoch }) => (epoch?.ownKey === 'removed' ? 'this validator was removed from the committee' : undefined),
  },
  {
    name: 'retired-key-loaded',
    severity: 'warning',
    threshold: 'the loaded BLS key was replaced, and no longer signs',
    remedy: 'Erase it: slipstream keys retire. Then restart the node, which has its next keys.',
    message: ({ epoch }) =>
      epoch?.ownKey === 'retired' ? 'this node has loaded a BLS key that a rotation replaced' : undefined,
  },
  {
    name: 'account-cannot-pay',
    severity: 'warning',
    threshold: 'this node has something to report to its chain, and no account that can pay for it',
    remedy:
      'Fund the account that slipstream status shows, or set account.keyFile to the secret of a funded one and restart the node. ' +
      'Readiness can also be reported by hand: slipstream validator ready.',
    message: ({ account }) => (account === undefined || account.unpaid.length === 0 ? undefined : unpaidText(account)),
  },
  {
    name: 'old-trust',
    severity: 'warning',
    threshold: 'at its start the newest block of this node was older than 30 days, and there is no checkpoint',
    remedy: OLD_TRUST_REMEDY,
    message: ({ oldTrust, nowMs }) => (oldTrust === undefined ? undefined : oldTrustText(oldTrust, nowMs)),
  },
  {
    name: 'issuer-not-followed',
    severity: 'warning',
    threshold: 'an issuer of sessions.follow does not answer, or serves what this chain would refuse',
    remedy:
      'Check the URL and that node. Until its new committee is known here, credentials by it are refused; several nodes may follow one issuer.',
    message: ({ account }) => (account?.unfollowed.length ? account.unfollowed.join('; ') : undefined),
  },
];

function unpaidText({ account, unpaid }: NonNullable<Vitals['account']>): string {
  const payer =
    account === undefined ? 'this node has no account' : `account ${account.name} has only ${account.balance ?? 0n}`;
  return `${payer}: ${unpaid.map((kind) => REPORTS[kind] ?? kind).join(' and ')} cannot be sent`;
}

const REPORTS: Partial<Readonly<Record<NonNullable<Vitals['account']>['unpaid'][number], string>>> = {
  ready: 'its readiness',
  reportEquivocation: 'evidence against a validator',
  advanceIssuer: 'the new committee of an issuer',
};
