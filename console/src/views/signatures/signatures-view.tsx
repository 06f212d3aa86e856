export function SignaturesView() {
  return <div className="view" />;
}
