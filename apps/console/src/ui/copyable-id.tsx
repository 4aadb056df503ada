import { CopyButton } from "./copy-button.tsx";

/** An id with the button that copies it; the button makes its line no higher. */
export function CopyableId({ id }: { id: string }) {
  return (
    <span className="flex items-center font-mono">
      {id}
      <CopyButton text={id} className="-my-2 -me-2" />
    </span>
  );
}
