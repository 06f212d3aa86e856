/** A failing view leaves the rest of the page intact. */
import { Component, type ReactNode } from 'react';
import { Failure } from '../design/states.tsx';

interface Props {
  readonly children: ReactNode;
  readonly onCaught: () => void;
}
interface State {
  readonly error: Error | undefined;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidCatch(): void {
    this.props.onCaught();
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Failure
        title="This view could not be drawn"
        detail={`${error.message}. The rest of the console goes on; if the node was updated, load the page again.`}
        onRetry={() => this.setState({ error: undefined })}
      />
    );
  }
}
