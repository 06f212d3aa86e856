/** Updates a status by events, so that its reader need not ask again. */
import type { Alert, Status } from './answers.ts';
import type { NodeEvent } from './events.ts';

/** The same object when nothing changes. */
export function statusAfter(status: Status, { type, data }: NodeEvent): Status {
  switch (type) {
    case 'stats': {
      const { height, finalHeight, certifiedHeight, view, ready, syncing, draining, signing, mempool, peers } = data;
      const reported = { height, finalHeight, certifiedHeight, view, ready, syncing, mempool, peers };
      return {
        ...status,
        ...reported,
        ...(draining !== undefined && { draining }),
        ...(signing !== undefined && { signing }),
      };
    }
    case 'epoch.begun': {
      const { epoch, validator } = data;
      const role = validator === null ? 'full-node' : 'validator';
      return { ...status, epoch, node: { ...status.node, role, validator } };
    }
    case 'alert.raised':
      return { ...status, alerts: [...without(status.alerts, data.rule), data] };
    case 'alert.changed':
      return { ...status, alerts: status.alerts.map((alert) => (alert.rule === data.rule ? data : alert)) };
    case 'alert.cleared':
      return { ...status, alerts: without(status.alerts, data.rule) };
    default:
      return status;
  }
}

function without(alerts: readonly Alert[], rule: string): Alert[] {
  return alerts.filter((alert) => alert.rule !== rule);
}
