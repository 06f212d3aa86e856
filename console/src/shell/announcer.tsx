/** Announces changes of connection and alerts to screen readers; nothing that changes every second. */
import { useState } from 'react';
import { useStream } from '../stream/use-stream.ts';
import { connectionWords } from './connection-words.ts';

export function Announcer() {
  const connection = useStream((snapshot) => snapshot.connection);
  const alerts = useStream((snapshot) => snapshot.alerts);
  const words = connectionWords(connection);
  return (
    <>
      <div className="hidden-label" aria-live="polite">
        {connection.type === 'live' ? 'Connected to the node.' : `${words.short}.`}
      </div>
      <div className="hidden-label" aria-live="assertive">
        {alerts.map(({ rule, sinceMs, message }) => (
          <FirstWords key={`${rule} ${sinceMs}`} message={message} />
        ))}
      </div>
    </>
  );
}

/** Announces an alert once: its text may change every second. */
function FirstWords({ message }: { readonly message: string }) {
  const [first] = useState(message);
  return <p>Alert: {first}</p>;
}
