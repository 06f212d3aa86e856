import type { EventType, Topic } from '@slipstream/schema';

/** `text`: JSON of a StreamEvent. */
export interface PublishedEvent {
  readonly sequence: number;
  readonly topic: Topic;
  readonly type: EventType;
  readonly text: string;
}
