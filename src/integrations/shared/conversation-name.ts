/** Characters of a name of a session, at most; `remember` takes no longer one. */
const MOST = 128

/** True if turns can be kept under a name: a text of 1 to 128 characters, whole ones, without NUL and U+001F. */
export function isConversationName(name: unknown): name is string {
  if (typeof name !== 'string' || !name.isWellFormed()) return false
  return name.length > 0 && name.length <= MOST && !['\u0000', '\u001f'].some((sign) => name.includes(sign))
}
