/** How one kind of secret looks; every repeat in `shape` is bounded, so that hostile text costs time in proportion. */
export interface SecretPattern {
  /** What the mark in its place says. */
  readonly kind: string
  /** Global. What its group `before` matches stays; the rest of the match goes. */
  readonly shape: RegExp
  /** Whatever `shape` matches holds this, so that a text without it need not be looked through. */
  readonly holds?: string
  /** Decides about what would go, where the shape alone says too little. */
  readonly accepts?: (value: string) => boolean
}

/** One row of a table of secrets that betray themselves by their shape alone. */
export function shaped(kind: string, shape: RegExp, holds = beginningOf(shape)): SecretPattern {
  return { kind, shape, ...(holds === undefined ? {} : { holds }) }
}

/** The letters a shape begins with, if it begins with some whatever follows. */
function beginningOf({ source, flags }: RegExp): string | undefined {
  if (flags.includes('i') || /^[^(]*\|/.test(source)) return undefined
  const afterLookbehind = source.replace(/^\(\?<!\[[^\]]*\]\)/, '')
  const [, letters = '', next = ''] = /^([\w -]*)(.?)/.exec(afterLookbehind) ?? []
  const sure = /[?*{]/.test(next) ? letters.slice(0, -1) : letters
  return sure.length < 2 ? undefined : sure
}
