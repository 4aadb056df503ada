import { type Behaviour, Dice, usual } from "./behaviour.ts";
import { Ledger } from "./ledger.ts";
import type { Held, Memory } from "./memory.ts";
import { Shop } from "./shopify/shop.ts";
import { type Personality, Shelves } from "./personality.ts";
import { type PersonalityName, personalities } from "./personalities.ts";
import { Tokens } from "./tokens.ts";

export type System = {
  name: string;
  behaviour: Behaviour;
  dice: Dice;
  ledger: Ledger;
  shop: Shop;
  tokens: Tokens;
  shelves: Shelves;
  /** Told of the next request that is left without an answer. */
  onHang: Set<() => void>;
  /** The system as one of its kind; what it holds is the same for all. */
  as: (name: PersonalityName) => Personality;
};

/** A system comes into being when its name is first used. */
export class Systems {
  readonly #systems = new Map<string, System>();
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get(name: string): System {
    const known = this.#systems.get(name);
    if (known) return known;
    const system = makeSystem(name, this.#memory.of(name));
    this.#systems.set(name, system);
    return system;
  }

  all(): System[] {
    return [...this.#systems.values()];
  }

  forget(name: string): void {
    this.#systems.delete(name);
    this.#memory.forget(name);
  }
}

function makeSystem(name: string, held: Held): System {
  const [tokens, shelves] = [new Tokens(), new Shelves(held.shelves)];
  const played = new Map<PersonalityName, Personality>();
  const system: System = {
    name,
    behaviour: usual,
    dice: new Dice(),
    ledger: new Ledger(name),
    shop: new Shop(name, held.shop),
    tokens,
    shelves,
    onHang: new Set(),
    as(kind) {
      const known = played.get(kind);
      if (known) return known;
      const personality = personalities[kind]({ shelves, tokens, tokenSeconds: () => system.behaviour.tokenSeconds });
      played.set(kind, personality);
      return personality;
    },
  };
  return system;
}
