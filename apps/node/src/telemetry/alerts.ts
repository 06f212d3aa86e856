/**
 * Alerts: rules over what the node knows of itself. Each says what is wrong, from when on it counts, and what to do.
 */
import type { Alert } from '@slipstream/schema';

/** What the rules look at, once a second. */
export interface Vitals {
  readonly nowMs: number;
  readonly sinceFinalMs: number;
  /** Weight that was heard within the last seconds, this node included, over the total. */
  readonly heardShare: number;
  readonly commitLagBlocks: number;
  readonly outOfOffenderBudget: boolean;
  readonly halted: string | undefined;
}

interface Rule {
  readonly name: string;
  readonly severity: Alert['severity'];
  readonly threshold: string;
  readonly remedy: string;
  /** The message when it holds. */
  message(vitals: Vitals): string | undefined;
}

const NO_FINALITY_MS = 10_000;
const COMMIT_LAG_BLOCKS = 20;

const RULES: readonly Rule[] = [
  {
    name: 'no-finality',
    severity: 'critical',
    threshold: `no block final for ${NO_FINALITY_MS / 1000} s`,
    remedy:
      'Look at Peers: more than a third of the weight being away stops the chain. Start those nodes, or heal the network.',
    message: ({ sinceFinalMs }) =>
      sinceFinalMs > NO_FINALITY_MS ? `no block was final for ${Math.round(sinceFinalMs / 1000)} s` : undefined,
  },
  {
    name: 'quorum-unreachable',
    severity: 'critical',
    threshold: 'two thirds of the weight or less heard within 5 s',
    remedy: "Check this node's network first, then the validators listed as lost under Peers.",
    message: ({ heardShare }) =>
      heardShare * 3 <= 2 ? `only ${Math.round(heardShare * 100)} percent of the weight is heard from here` : undefined,
  },
  {
    name: 'commit-lag',
    severity: 'warning',
    threshold: `commit more than ${COMMIT_LAG_BLOCKS} blocks behind order`,
    remedy:
      'Execution or the disk is too slow for the load, or the node is catching up. Look at Storage and the block Gantt.',
    message: ({ commitLagBlocks }) =>
      commitLagBlocks > COMMIT_LAG_BLOCKS ? `${commitLagBlocks} ordered blocks are not committed` : undefined,
  },
  {
    name: 'too-many-offenders',
    severity: 'critical',
    threshold: 'a third of the weight blocked',
    remedy: 'So many offenders mean that this node itself is wrong: check its keys, its genesis file and its version.',
    message: ({ outOfOffenderBudget }) =>
      outOfOffenderBudget ? 'a third of the weight would be blocked; further offenders are only watched' : undefined,
  },
  {
    name: 'halted',
    severity: 'critical',
    threshold: 'the pipeline stopped for good',
    remedy: 'Keep the data folder. Compare with another node, then state-sync into a fresh folder.',
    message: ({ halted }) => halted,
  },
];

export interface Alerts {
  readonly active: readonly Alert[];
  /** Raises and clears; returns what changed. */
  check(vitals: Vitals): { readonly raised: readonly Alert[]; readonly cleared: readonly Alert[] };
}

export function createAlerts(): Alerts {
  const active = new Map<string, Alert>();
  return {
    get active() {
      return [...active.values()];
    },
    check(vitals) {
      const raised: Alert[] = [];
      const cleared: Alert[] = [];
      for (const { name, severity, threshold, remedy, message } of RULES) {
        const wrong = message(vitals);
        const standing = active.get(name);
        if (wrong && !standing) {
          const alert: Alert = { rule: name, severity, message: wrong, threshold, remedy, sinceMs: vitals.nowMs };
          active.set(name, alert);
          raised.push(alert);
        } else if (wrong && standing) {
          active.set(name, { ...standing, message: wrong });
        } else if (!wrong && standing) {
          active.delete(name);
          cleared.push(standing);
        }
      }
      return { raised, cleared };
    },
  };
}
