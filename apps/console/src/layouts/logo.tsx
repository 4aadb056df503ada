/** The product's mark: two goods crossing a dock. */
export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5 text-lg font-semibold">
      <img src="/favicon.svg" alt="" className="size-8" />
      Crossdock
    </span>
  );
}
