import { CodedError } from '@slipstream/primitives';

type BuildErrorCode =
  /** A file that cannot be read. */
  | 'source-missing'
  /** The sources have what they may not; `data.findings` has each place. */
  | 'forbidden'
  /** The bundler found a fault, such as an import of a name that is not exported. */
  | 'bundle-failed'
  /** The file has no default export. */
  | 'no-application'
  /** The definitions, or the kit that read them, threw. */
  | 'definition-failed'
  | 'artifact-too-large'
  /** An action declares more compute than an action may have. */
  | 'compute-too-high'
  /** The lock file is no lock file of this application. */
  | 'lock-malformed'
  /** The lock file was changed by other means than a build. */
  | 'lock-edited'
  /** A table, action or event would get another number than the lock file has, or one that was another's. */
  | 'number-changed'
  /** The lock file lacks a name, and the build was not to write it. */
  | 'lock-outdated';

export class BuildError extends CodedError<BuildErrorCode> {}
