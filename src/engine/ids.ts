/** Names for new things, from outside, so that tests are repeatable. */
export interface Ids {
  /** 16 hexadecimal characters nobody has used. */
  random(): string
  /** SHA-256 of the UTF-8 text, in lower-case hexadecimal. */
  sha256(text: string): string
}
