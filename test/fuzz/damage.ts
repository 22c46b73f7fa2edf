import fc from 'fast-check'

/** One accident that befalls a text: a part of it is cut out, doubled, or put elsewhere, or strange characters come in. */
export interface Damage {
  readonly how: 'cut' | 'double' | 'move' | 'insert' | 'truncate'
  /** Parts of a million of the text's length. */
  readonly from: number
  readonly to: number
  readonly insert: string
}

const WHOLE = 1_000_000
const place = fc.nat(WHOLE)

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    how: fc.constantFrom('cut', 'double', 'move', 'insert', 'truncate'),
    from: place,
    to: place,
    insert: fc.oneof(
      fc.constantFrom(
        '\0',
        '\n',
        '\r',
        '"',
        '\\',
        '{',
        '}',
        '\ufeff',
        '\ud83d',
        '\u2028',
        '💥',
        '0',
        '-',
        'e9',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
  }),
  { minLength: 1, maxLength: 3 },
)

/** The text after its accidents. */
export function damaged(text: string, done: readonly Damage[]): string {
  return done.reduce(damage, text)
}

/** Parts that are cut out or doubled are short, so that most of the text is still what it was. */
const PART_MAX = 40

function damage(text: string, { how, from, to, insert }: Damage): string {
  const start = Math.floor((from / WHOLE) * text.length)
  const end = Math.min(text.length, start + (to % PART_MAX))
  const [before, part, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)]
  switch (how) {
    case 'cut':
      return before + after
    case 'double':
      return before + part + part + after
    case 'move':
      return part + before + after
    case 'insert':
      return before + insert + part + after
    case 'truncate':
      return before
  }
}
