import { CodedError } from '@slipstream/primitives';

/** `recording-unreadable`: the recording is damaged, or of another version. Data: why. */
type RecordingErrorCode = 'recording-unreadable';

export class RecordingError extends CodedError<RecordingErrorCode> {}

export function unreadable(why: string): RecordingError {
  return new RecordingError(
    'recording-unreadable',
    `this recording cannot be read: ${why}. Is it whole, and of this version?`,
    { why },
  );
}
