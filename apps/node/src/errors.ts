import { CodedError } from '@slipstream/primitives';

/**
 * Errors of commands, for operators; the message says what to do.
 *
 * - `usage`: the command line is wrong (exit code 2).
 * - `config-invalid`: data.faults lists every fault of the configuration (exit code 2).
 * - `home-incomplete`: a file of the node's folder is missing or damaged.
 * - `home-in-use`: another process runs on this folder.
 * - `port-in-use`: another program listens there.
 * - `key-mismatch`: keys and genesis do not belong together.
 * - `candidacies-refused`: no genesis can be made of them; data.faults has an entry per fault, with file and field (CandidacyFault).
 * - `genesis-refused`: not the chain that this node's operator agreed to; data.faults as above.
 * - `node-failed`: the node stopped after a fault.
 * - `disk-failed`: it stopped because the disk refused a write; it can continue once there is space.
 * - `request-failed`: a node refused or did not answer.
 */
export type NodeErrorCode =
  | 'usage'
  | 'config-invalid'
  | 'home-incomplete'
  | 'home-in-use'
  | 'port-in-use'
  | 'key-mismatch'
  | 'candidacies-refused'
  | 'genesis-refused'
  | 'node-failed'
  | 'disk-failed'
  | 'request-failed';

export class NodeError extends CodedError<NodeErrorCode> {}
