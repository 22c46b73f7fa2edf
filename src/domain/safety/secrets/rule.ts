/** A part of a text, in UTF-16 units; the end is behind its last one. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** How one kind of secret is found. */
export interface SecretRule {
  /** Kind of secret, as the mark in its place names it. */
  readonly kind: string
  /** Lower case, three UTF-16 units or more. A text without any of them is not looked at. */
  readonly keywords: readonly string[]
  /** The secrets at a keyword that begins at `at`, whatever its case. Looks at a bounded part of the text around it. */
  readonly find: (text: string, at: number, length: number) => readonly Span[]
  /** The value alone says little: its name or its place makes it a secret. */
  readonly isGuess?: true
  /** The regular expression that finds it, where it is one. */
  readonly shape?: RegExp
}

/** The options of a shape besides its kind. */
interface ShapeOptions {
  /** Unless given, the letters that the shape begins with. */
  readonly keywords?: readonly string[]
  /** True if the part to be removed is a secret, where the shape alone says too little. */
  readonly accepts?: (value: string) => boolean
  /** Signs that may stand between the beginning of the match and the keyword, and at most how many of them. */
  readonly lead?: readonly [sign: RegExp, most: number]
  readonly isGuess?: true
}

const NONE: readonly Span[] = []

/**
 * One row of a table of secrets that a regular expression finds. It is sticky, and every repeat in it is bounded, so that
 * hostile text costs time in proportion. The text of its group `before` stays; the rest of the match is removed.
 */
export function shaped(kind: string, shape: RegExp, options: ShapeOptions = {}): SecretRule {
  const { accepts, lead } = options
  const keywords = options.keywords ?? [beginningOf(shape)]
  return {
    kind,
    keywords,
    shape,
    ...(options.isGuess ? { isGuess: true } : {}),
    find: (text, at) => {
      shape.lastIndex = lead === undefined ? at : backFrom(text, at, lead)
      const match = shape.exec(text)
      if (match === null) return NONE
      const before = match.groups?.before?.length ?? 0
      const start = match.index + before
      const end = match.index + match[0].length
      if (end <= start || accepts?.(text.slice(start, end)) === false) return NONE
      return [{ start, end }]
    },
  }
}

function backFrom(text: string, at: number, [sign, most]: readonly [sign: RegExp, most: number]): number {
  let start = at
  while (start > 0 && at - start < most && sign.test(text.charAt(start - 1))) start--
  return start
}

/** The letters a shape begins with, if it begins with some whatever follows. */
function beginningOf({ source }: RegExp): string {
  const bare = source.replace(/^(?:\(\?<!(?:\[[^\]]*\]|\\w)\)|\(\?<before>|\\b)*/, '')
  const [, letters = '', next = ''] = /^((?:[\w :"-]|\\[.$\-/])*)(.?)/.exec(bare) ?? []
  const sure = (/[?*{]/.test(next) ? letters.slice(0, -1) : letters).replaceAll('\\', '')
  if (sure.length < 3 || next === '|') throw new Error(`No keyword begins ${source}`)
  return sure.toLowerCase()
}
