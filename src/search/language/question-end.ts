/**
 * True if a text ends with one of these question marks, or with one and something in square brackets behind it, such as
 * who asked.
 */
export function endsWithQuestion(text: string, marks = '?？؟'): boolean {
  const trimmed = text.trimEnd()
  const isMark = (sign: string) => sign !== '' && marks.includes(sign)
  if (isMark(trimmed.slice(-1))) return true
  if (!trimmed.endsWith(']')) return false
  let last = ''
  const inside = trimmed.lastIndexOf(']', trimmed.length - 2) + 1
  for (const sign of trimmed.slice(0, inside).trimEnd().slice(-1) + trimmed.slice(inside)) {
    if (sign === '[' && isMark(last)) return true
    if (sign.trim() !== '') last = sign
  }
  return false
}
