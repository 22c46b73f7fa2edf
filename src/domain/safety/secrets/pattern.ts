/** How one kind of secret looks; every repeat in `shape` is bounded, so that hostile text costs time in proportion. */
export interface SecretPattern {
  /** Kind of secret, as the mark in its place names it. */
  readonly kind: string
  /** Global. The text of its group `before` stays; the rest of the match is removed. */
  readonly shape: RegExp
  /** A part of everything `shape` matches, so that a text without it need not be searched. */
  readonly holds?: string
  /** True if the part to be removed is a secret, where the shape alone says too little. */
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
