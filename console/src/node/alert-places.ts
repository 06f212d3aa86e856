import type { ViewName } from '../shell/router.ts';

const PLACES: Readonly<Record<string, ViewName>> = {
  'no-finality': 'peers',
  'quorum-unreachable': 'peers',
  'validator-offline': 'peers',
  'commit-lag': 'storage',
  'too-many-offenders': 'peers',
  halted: 'storage',
  equivocation: 'peers',
  'bad-votes': 'signatures',
  'validator-blocked': 'peers',
  'views-nullified': 'timeline',
  'own-views-lost': 'timeline',
  'signing-refused': 'peers',
  'recovery-needed': 'peers',
  'sealed-not-closed': 'committee',
  'not-ready': 'committee',
  'version-unknown': 'committee',
  'artifact-missing': 'applications',
  'artifact-not-accepted': 'applications',
  'action-quarantined': 'applications',
  'account-cannot-pay': 'committee',
  'issuer-not-followed': 'committee',
  'old-trust': 'committee',
  benched: 'committee',
  removed: 'committee',
  'retired-key-loaded': 'committee',
  behind: 'storage',
  stranded: 'peers',
  'clock-off': 'peers',
  'slow-disk': 'storage',
  'log-lost': 'storage',
  'disk-low': 'storage',
  'disk-full': 'storage',
  'disk-failed': 'storage',
};

/** Undefined for an unknown rule. */
export function placeOf(rule: string): ViewName | undefined {
  return Object.hasOwn(PLACES, rule) ? PLACES[rule] : undefined;
}
