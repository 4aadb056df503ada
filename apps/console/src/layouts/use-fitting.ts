import { useLayoutEffect, useRef, useState } from "react";

/** How many of the children of a wrapping line stand on its first row. */
export function useFitting() {
  const line = useRef<HTMLUListElement>(null);
  const [fitting, setFitting] = useState(Infinity);
  useLayoutEffect(() => {
    const element = line.current;
    if (!element) return undefined;
    const measure = () => {
      const children = [...element.children].filter((child) => child instanceof HTMLElement);
      const first = children.findIndex((child) => child.offsetTop > (children[0]?.offsetTop ?? 0));
      setFitting(first === -1 ? Infinity : first);
    };
    measure();
    // Items change their width with the language and with the counts on them.
    const observer = new ResizeObserver(measure);
    for (const part of [element, ...element.children]) observer.observe(part);
    return () => observer.disconnect();
  }, []);
  return { line, fitting };
}
