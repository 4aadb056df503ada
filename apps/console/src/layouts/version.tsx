const versionLabel = "v. 0.9.45β";

/** The specified label; the build's own version is in its tooltip. */
export function Version({ className }: { className: string }) {
  return (
    <p className={`text-muted ${className}`} title={`Crossdock ${BUILD_VERSION}`}>
      {versionLabel}
    </p>
  );
}
