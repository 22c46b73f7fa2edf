/** The category of the texts that named items are found by. */
export const ITEM = 'item'

/** The category of what was said in a conversation. */
export const TURN = 'turn'

/** Messages and turns repeat themselves and mean it; two items may say nearly the same and are two. */
const KEPT_AS_SAID: ReadonlySet<string> = new Set(['message', TURN, ITEM])

/** True if a block stays beside a known one that says the same: no dream takes it for a repetition. */
export function isKeptAsSaid(category: string): boolean {
  return KEPT_AS_SAID.has(category)
}

/** True of the text of an item, which its item may let go of. */
export function isTextOfItem(category: string): boolean {
  return category === ITEM || category === TURN
}

/** True of two blocks of which one is the text of an item and the other is not: the item may let go of its own alone. */
export function areApart(one: string, other: string): boolean {
  return (one === ITEM) !== (other === ITEM)
}
