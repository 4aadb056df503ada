export function HeaderList({ headers }: { headers: Record<string, string> }) {
  return (
    <dl dir="ltr" className="mt-2 grid gap-1 font-mono text-xs">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name} className="break-all">
          <dt className="inline text-muted">{name}: </dt>
          <dd className="inline">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
