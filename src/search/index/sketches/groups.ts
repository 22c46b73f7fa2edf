/** How a vector lies to a centre: its product with it, and its distance from it. */
export interface Place {
  readonly along: number
  readonly away: number
}

/** So few that their limits are set at once, and so many that the rows of one hardly differ. */
export const GROUPS = 64

/** Groups of rows by how far they lie along a centre, and the bounds of where those of each lie. */
export class Groups {
  readonly #least: number
  readonly #perUnit: number
  readonly #along = new Float64Array(GROUPS).fill(Number.NEGATIVE_INFINITY)
  readonly #away = new Float64Array(GROUPS)
  readonly #awayLeast = new Float64Array(GROUPS).fill(Number.POSITIVE_INFINITY)

  /** @param alongs of some of the rows; others belong to the first or the last group */
  constructor(alongs: readonly number[]) {
    const [least, most] = [Math.min(...alongs), Math.max(...alongs)]
    this.#least = least
    this.#perUnit = most > least ? GROUPS / (most - least) : 0
  }

  /** Returns the group of a row, which is within its bounds from now on. */
  take({ along, away }: Place): number {
    const found = Math.floor((along - this.#least) * this.#perUnit)
    const group = Math.max(0, Math.min(GROUPS - 1, found || 0))
    this.#along[group] = Math.max(this.#along[group] as number, along)
    this.#away[group] = Math.max(this.#away[group] as number, away)
    this.#awayLeast[group] = Math.min(this.#awayLeast[group] as number, away)
    return group
  }

  /**
   * Calls back with a bound for each group: from the centre no row of it has a lower cosine with a query whose product with
   * the row, less both products with the centre, is `least` or more.
   */
  eachBound({ along, away }: Place, least: number, visit: (group: number, cosine: number) => void): void {
    for (let group = 0; group < GROUPS; group++) {
      const missing = least - along - (this.#along[group] as number)
      const distance = (missing > 0 ? this.#away[group] : this.#awayLeast[group]) as number
      visit(group, missing / (distance * away))
    }
  }
}
