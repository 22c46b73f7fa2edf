/** A text without what no store keeps. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '')
}
