/** Says since when the view's data is not live, and what happens next. */
import './connection-banner.css';
import { Badge } from '../design/badge.tsx';
import { useNow } from '../node/use-now.ts';
import { useStream } from '../stream/use-stream.ts';
import { connectionWords, outOfDate } from './connection-words.ts';

export function ConnectionBanner() {
  const connection = useStream((snapshot) => snapshot.connection);
  const known = useStream(({ status }) => status !== null);
  const now = useNow(1_000);
  const { tone, short, explanation } = connectionWords(connection);
  if (explanation === undefined) return null;
  const since = outOfDate(connection, now);
  return (
    <div className="banner" data-tone={tone}>
      <Badge tone={tone}>{short}</Badge>
      <span>
        {explanation}
        {known && since !== undefined ? ` Out of date by ${since}.` : ''}
      </span>
    </div>
  );
}
