import { CodedError } from '@slipstream/primitives';

/**
 * Errors of a node's home, for operators; the message says what to do.
 *
 * - `usage`: the request cannot be carried out on this folder.
 * - `config-invalid`: data.faults lists every fault of the configuration.
 * - `home-incomplete`: a file is missing or damaged.
 * - `key-mismatch`: keys and genesis do not belong together.
 * - `candidacies-refused`: no genesis can be made of them; data.faults has an entry per fault, with file and field (CandidacyFault).
 * - `application-missing`, `application-differs`: the artifact of an application is not that of genesis.
 * - `genesis-refused`: not the chain that this node's operator agreed to; data.faults as above.
 */
type HomeErrorCode =
  | 'usage'
  | 'config-invalid'
  | 'home-incomplete'
  | 'key-mismatch'
  | 'candidacies-refused'
  | 'application-missing'
  | 'application-differs'
  | 'genesis-refused';

export class HomeError extends CodedError<HomeErrorCode> {}
