import type { Random } from "./random.ts";

/** A buyer who does not exist: names are common ones, mail addresses of the reserved domain example.com. */
export type Person = {
  number: string;
  firstName: string;
  lastName: string;
  email: string;
  street: string;
  postalCode: string;
  city: string;
  country: string;
};

type Country = {
  firstNames: readonly [string, ...string[]];
  lastNames: readonly [string, ...string[]];
  places: readonly [readonly [string, string], ...(readonly [string, string])[]];
  streets: readonly [string, ...string[]];
};

const countries: Record<string, Country> = {
  SE: {
    firstNames: ["Anna", "Erik", "Maja", "Johan", "Elsa", "Oskar", "Karin", "Nils", "Sara", "Åke"],
    lastNames: ["Lindqvist", "Bergström", "Nyström", "Sjöberg", "Öberg", "Hedlund", "Wallin"],
    places: [
      ["111 22", "Stockholm"],
      ["411 05", "Göteborg"],
      ["211 20", "Malmö"],
      ["753 20", "Uppsala"],
      ["903 26", "Umeå"],
    ],
    streets: ["Storgatan", "Kungsgatan", "Björkvägen", "Skolgatan", "Ringvägen"],
  },
  NO: {
    firstNames: ["Ingrid", "Lars", "Solveig", "Magnus", "Nora", "Henrik", "Astrid", "Sindre"],
    lastNames: ["Haugen", "Bakke", "Solberg", "Nygård", "Dahl", "Moen", "Strand"],
    places: [
      ["0150", "Oslo"],
      ["5003", "Bergen"],
      ["7010", "Trondheim"],
      ["9008", "Tromsø"],
      ["4006", "Stavanger"],
    ],
    streets: ["Kirkegata", "Fjellveien", "Storgata", "Strandgata", "Skogveien"],
  },
  FR: {
    firstNames: ["Camille", "Julien", "Léa", "Mathieu", "Chloé", "Étienne", "Manon", "Hugo"],
    lastNames: ["Dubois", "Lefèvre", "Moreau", "Girard", "Bonnet", "Chevalier", "Rousseau"],
    places: [
      ["75011", "Paris"],
      ["69002", "Lyon"],
      ["33000", "Bordeaux"],
      ["13006", "Marseille"],
      ["44000", "Nantes"],
    ],
    streets: ["rue Victor Hugo", "rue de la République", "avenue Jean Jaurès", "rue des Lilas", "boulevard Voltaire"],
  },
};

export function makePerson(random: Random, country: string): Person {
  const names = countries[country] ?? countries["SE"];
  if (names === undefined) throw new Error(`no names for ${country}`);
  const firstName = random.pick(names.firstNames);
  const lastName = random.pick(names.lastNames);
  const [postalCode, city] = random.pick(names.places);
  const number = String(random.between(100_000, 100_900));
  const plain = `${firstName}.${lastName}`
    .normalize("NFD")
    .replaceAll(/[^\w.]/g, "")
    .toLowerCase();
  return {
    number,
    firstName,
    lastName,
    email: `${plain}.${number}@example.com`,
    street: `${random.pick(names.streets)} ${random.between(1, 120)}`,
    postalCode,
    city,
    country,
  };
}
