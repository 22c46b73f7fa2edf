/** A word that a shell takes as it is. */
const PLAIN = /^[\w./:@+][\w./:@+-]*$/

/** A text as one word of a command line, as a POSIX shell reads it: nothing in it is run. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
