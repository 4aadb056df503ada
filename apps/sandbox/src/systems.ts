import { type Behaviour, Dice, usual } from "./behaviour.ts";
import { Ledger } from "./ledger.ts";
import { Shop } from "./shopify/shop.ts";
import { Tokens } from "./tokens.ts";

export type System = { name: string; behaviour: Behaviour; dice: Dice; ledger: Ledger; shop: Shop; tokens: Tokens };

/** A system comes into being when its name is first used. */
export class Systems {
  readonly #systems = new Map<string, System>();

  get(name: string): System {
    const known = this.#systems.get(name);
    if (known) return known;
    const system = { name, behaviour: usual, dice: new Dice(), ledger: new Ledger(name), shop: new Shop(name), tokens: new Tokens() };
    this.#systems.set(name, system);
    return system;
  }

  all(): System[] {
    return [...this.#systems.values()];
  }

  forget(name: string): void {
    this.#systems.delete(name);
  }
}
