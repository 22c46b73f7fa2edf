/** Signs that a note writes as `&#38;`: hidden ones, blanks that an editor would take away, and `&` where it begins such a sign. */
const HIDDEN =
  /&(?=#\d{1,7};)|^\n+|(?<!\n)\n+$|[^\S\n](?=\n|$)|(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const WRITTEN = /&#(\d{1,7});/g

/**
 * Returns a text as it stands in a section of a Markdown note. It has no line that begins a section, it neither begins nor ends with a
 * blank line, and no line ends with a blank, so `wordsOfSection` returns the exact text whatever the text is.
 */
export function sectionOf(words: string): string {
  const visible = words.replace(HIDDEN, (signs) =>
    Array.from(signs, (sign) => `&#${sign.codePointAt(0)};`).join(''),
  )
  return visible.replace(/^(?=\\*##(?: |$))/gm, '\\')
}

/** Returns the text of a section of a note. */
export function wordsOfSection(section: string): string {
  const bare = section.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
  return bare.replace(/^\\(?=\\*##(?: |$))/gm, '').replace(WRITTEN, (written, digits: string) => {
    const code = Number(digits)
    const isSign = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
    return isSign ? String.fromCodePoint(code) : written
  })
}

/** Returns the heading of the section that a line begins; undefined for any other line. */
export function headingIn(line: string): string | undefined {
  return line === '##' || line.startsWith('## ') ? line.slice(2).trim() : undefined
}
