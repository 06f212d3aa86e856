import { CodedError } from '@slipstream/primitives';

/**
 * Errors of the node for its operators; the message says what to do.
 *
 * - `usage`: wrong command line (exit code 2).
 * - `config-invalid`: data.faults lists every fault (exit code 2).
 * - `home-incomplete`: a file of the node's folder is missing or damaged.
 * - `home-in-use`: another process runs on this folder.
 * - `port-in-use`: another program listens there.
 * - `key-mismatch`: keys and genesis do not belong together.
 * - `version-unknown`: the chain has rules that this program does not know.
 * - `application-missing`: this node lacks an artifact that an epoch's record names.
 * - `node-failed`: a fault stopped the node.
 * - `disk-failed`: the disk refused a write; the node can continue once there is space.
 * - `request-failed`: a node refused or did not answer.
 * - `checkpoint-mismatch`: the chain that this node was led to is not that of sync.checkpoint.
 * - `issuer-unproven`: what a node serves of an issuer of sessions does not follow from what this chain knows.
 * - `application-missing`: no application is where the command line says.
 * - `checkout-needed`: the command needs development packages, which an image does not have.
 */
export type NodeErrorCode =
  | 'usage'
  | 'config-invalid'
  | 'home-incomplete'
  | 'home-in-use'
  | 'port-in-use'
  | 'key-mismatch'
  | 'version-unknown'
  | 'application-missing'
  | 'node-failed'
  | 'disk-failed'
  | 'request-failed'
  | 'checkpoint-mismatch'
  | 'issuer-unproven'
  | 'application-missing'
  | 'checkout-needed';

export class NodeError extends CodedError<NodeErrorCode> {}
