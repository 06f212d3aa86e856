import type { EventType, Topic } from '@slipstream/schema';

/** An event in serialized form: `text` is the JSON of a StreamEvent. */
export interface PublishedEvent {
  readonly sequence: number;
  readonly topic: Topic;
  readonly type: EventType;
  readonly text: string;
}
