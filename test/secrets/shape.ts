/** A text with one secret in it, as the bench counts it. */
export interface Shape {
  /** What kind of place or form it is, as the bench's rows are named. */
  readonly group: string
  readonly secret: string
  readonly text: string
}

/** Builds the shapes of one group from pairs of a secret and what stands around it. */
export function shapes(
  group: string,
  ...pairs: readonly (readonly [secret: string, around: (secret: string) => string])[]
): Shape[] {
  return pairs.map(([secret, around]) => ({ group, secret, text: around(secret) }))
}

/** True if a redacted text keeps nothing of the secret's lines, and every word around it. */
export function isTakenOut({ text, secret }: Shape, redacted: string): boolean {
  const [before = '', after = ''] = [
    text.slice(0, text.indexOf(secret)),
    text.slice(text.indexOf(secret) + secret.length),
  ]
  const lines = secret.split(/[^\w+/=.!#$%^&*@~-]+/).filter((line) => line.length >= 6)
  return (
    !redacted.includes(secret) &&
    lines.every((line) => !redacted.includes(line)) &&
    wordsOf(before).every((word) => redacted.includes(word)) &&
    wordsOf(after).every((word) => redacted.includes(word))
  )
}

function wordsOf(text: string): string[] {
  return text.match(/\p{L}{2,}/gu) ?? []
}
