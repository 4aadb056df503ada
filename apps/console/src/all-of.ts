/** A type's names in an order of our own. As of a record, the compiler tells when the list lacks one. */
export function allOf<Name extends string>() {
  return <const Given extends readonly Name[]>(names: Given & Lacking<Exclude<Name, Given[number]>>): readonly Name[] => names;
}

type Lacking<Missing> = [Missing] extends [never] ? unknown : { lacks: Missing };
