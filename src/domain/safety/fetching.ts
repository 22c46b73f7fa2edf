/** Elements that fetch, run or steer by being there, whatever attributes they have. */
const ELEMENTS = new Set(
  'applet audio base bgsound body embed fencedframe frame iframe image img input layer link meta object picture portal script source style svg track video'.split(
    ' ',
  ),
)
/** Elements whose address waits for somebody to follow it. */
const LINKS = new Set(['a', 'area'])

const ELEMENT = /<([a-z][^\s/><]*)/gi
/** Attributes whose address is fetched as soon as the element is drawn. */
const FETCHING =
  /(?<![^\s/"'])(?:src|srcset|imagesrcset|lowsrc|dynsrc|background|poster|manifest|archive|codebase)(?=[\s=])/gi
const ADDRESS = /(?<![^\s/"'])(?:xlink:)?href(?=[\s=])/gi
const STYLE = /(?<![^\s/"'])style\s*=\s*/gi
/** The parts of a style that fetch, or hide behind escapes that they do. */
const FETCHING_STYLE = /url|image|src|import|[\\&]/i

/** The states of a reader of HTML inside a tag, as bits. */
const BEFORE_NAME = 1
const NAME = 2
const AFTER_NAME = 4
const BEFORE_VALUE = 8
const BARE = 16
const DOUBLE = 32
const SINGLE = 64
const TAG = 128

/**
 * The text in which no element is left that a client would fetch something for by drawing it: `<img` becomes `‹img`, and so
 * does every element with an attribute that is fetched, such as `background`. Linear, whatever stands in quotes.
 */
export function withoutFetching(text: string): string {
  if (!text.includes('<')) return text
  const [fetches, addresses] = [insideTags(text, fetchingIn(text)), insideTags(text, placesOf(ADDRESS, text))]
  return text.replace(ELEMENT, (tag, name: string, at: number) => {
    const element = name.toLowerCase()
    const isFetched =
      ELEMENTS.has(element) || isInside(fetches, at) || (!LINKS.has(element) && isInside(addresses, at))
    return isFetched ? `‹${name}` : tag
  })
}

/** True if the tag that begins at `at` has one of the attributes. */
function isInside(states: Uint8Array | undefined, at: number): boolean {
  return ((states?.[at + 1] ?? 0) & TAG) !== 0
}

function fetchingIn(text: string): number[] {
  const places = placesOf(FETCHING, text)
  const last = { '"': text.lastIndexOf('"'), "'": text.lastIndexOf("'") }
  for (const { 0: said, index } of text.matchAll(STYLE)) {
    const from = index + said.length
    const quote = text[from]
    const isQuoted = quote === '"' || quote === "'"
    // What is quoted without an end is no style of anything.
    if (isQuoted && last[quote] <= from) continue
    const value = isQuoted ? text.slice(from + 1, text.indexOf(quote, from + 1)) : bareAt(text, from)
    if (FETCHING_STYLE.test(value)) places.push(index)
  }
  return places
}

function bareAt(text: string, from: number): string {
  const bare = /[^\s>]*/y
  bare.lastIndex = from
  return bare.exec(text)?.[0] ?? ''
}

function placesOf(attribute: RegExp, text: string): number[] {
  return Array.from(text.matchAll(attribute), ({ index }) => index)
}

/**
 * For each place of a text, in which states of a reader of HTML (WHATWG, "Tokenization") one of the attributes comes before
 * the tag ends; undefined if there is none. From the end to the beginning, so that each place is looked at once.
 */
function insideTags(text: string, attributes: readonly number[]): Uint8Array | undefined {
  if (attributes.length === 0) return undefined
  const states = new Uint8Array(text.length + 1)
  const begins = new Uint8Array(text.length)
  for (const at of attributes) begins[at] = 1
  let next = 0
  for (let at = text.length - 1; at >= 0; at--) {
    const sign = text.charCodeAt(at)
    const kind = sign < 128 ? (KINDS[sign] ?? 0) : OTHER
    next = STEPS[(kind * 2 + (begins[at] ?? 0)) * 256 + next] ?? 0
    states[at] = next
  }
  return states
}

/** Kinds of signs: any other, blanks, and those that end or divide something. */
const OTHER = 0
const BLANK = 1
const DIVIDING = '/=>"\''

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code)
  if ('\t\n\f\r '.includes(sign)) return BLANK
  const at = DIVIDING.indexOf(sign)
  return at < 0 ? OTHER : BLANK + 1 + at
})

/** Where the reader goes from each state, in the order of the bits, by a sign of each kind; 0 is out of the tag. */
const GOES: readonly (readonly number[])[] = [
  [NAME, NAME, NAME, BARE, BARE, DOUBLE, SINGLE, TAG],
  [BEFORE_NAME, AFTER_NAME, AFTER_NAME, BEFORE_VALUE, BEFORE_NAME, DOUBLE, SINGLE, BEFORE_NAME],
  [BEFORE_NAME, BEFORE_NAME, BEFORE_NAME, BARE, BARE, DOUBLE, SINGLE, BEFORE_NAME],
  [NAME, BEFORE_VALUE, BEFORE_VALUE, BARE, BARE, DOUBLE, SINGLE, TAG],
  [0, 0, 0, 0, 0, DOUBLE, SINGLE, 0],
  [NAME, NAME, NAME, DOUBLE, BARE, BEFORE_NAME, SINGLE, TAG],
  [NAME, NAME, NAME, SINGLE, BARE, DOUBLE, BEFORE_NAME, TAG],
]

/** For each kind of sign: the states before it, by those behind it and whether an attribute begins there. */
const STEPS = Uint8Array.from({ length: GOES.length * 512 }, (_, at) => {
  const goes = GOES[at >> 9] ?? []
  const met = (at & 256) === 0 ? 0 : BEFORE_NAME | AFTER_NAME
  return goes.reduce((states, to, bit) => ((at & to) === 0 ? states : states | (1 << bit)), met)
})
