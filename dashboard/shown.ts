/**
 * Signs that change how the text around them is read, or that nobody sees: controls, marks of writing direction, blanks without
 * width, tag characters, half a pair of surrogates. Joiners stay, since scripts and emoji are written with them.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]|\u034f|\p{Cs}/gu

/** Flags of parts of a country need tag characters. */
const FLAG = /(\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f})/u

/** The text with what cannot be seen written out, such as `‹U+202E›`. Every remembered word goes through it. */
export function shown(text: string): string {
  if (text.search(UNSEEN) < 0) return text
  return text
    .replaceAll('\r\n', '\n')
    .split(FLAG)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(UNSEEN, written)))
    .join('')
}

function written(sign: string): string {
  return `‹U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`
}
