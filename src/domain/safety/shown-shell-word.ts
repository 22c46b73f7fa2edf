import { shellWord } from '../text/text.ts'
import { shown } from './visible.ts'

/** Signs that stay as they are between `$'` and `'`. */
const UNESCAPED = /[\w ./:@+,;=#%&*()[\]{}|>?^~"$-]/

/**
 * A text as one word of a command line that is shown before it is read: what nobody would see, or what would be changed where it is shown,
 * stands as numbers (`$'a\nb'`, which bash, zsh and ksh read). Undefined for what no argument of a command can be.
 */
export function shownShellWord(text: string): string | undefined {
  if (text.includes('\0') || !text.isWellFormed()) return undefined
  const word = shellWord(text)
  if (shown(word) === word && !/[\n\t]/.test(word)) return word
  const escaped = [...text].map((sign) => (UNESCAPED.test(sign) ? sign : escapedSign(sign)))
  return `$'${escaped.join('')}'`
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }

/** By its bytes in three digits each, which no digit behind it can change. */
function escapedSign(sign: string): string {
  const short = SHORT[sign]
  if (short !== undefined) return short
  const isSeen = /[\p{L}\p{N}\p{P}\p{S}]/u.test(sign) && sign > '\u007f' && shown(sign) === sign
  if (isSeen) return sign
  return Array.from(new TextEncoder().encode(sign), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(
    '',
  )
}
