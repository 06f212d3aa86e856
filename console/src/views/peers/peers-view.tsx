export function PeersView() {
  return <div className="view" />;
}
