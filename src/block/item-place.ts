/** Where a named item stands. */
export interface ItemPlace {
  /** The program it belongs to, or a part of one. */
  readonly space: string
  /** Labels from the outermost to the innermost; none at the root of the space. */
  readonly namespace: readonly string[]
  readonly key: string
}

type Sha256Hex = (text: string) => string

/** Closes each label, so that a namespace is the beginning of those inside it; no label holds it. */
export const LABEL_END = '\u001f'

/** Returns a namespace as one text, in which one inside another begins with it. */
export function namespaceText(labels: readonly string[]): string {
  return labels.map((label) => `${label}${LABEL_END}`).join('')
}

/** Returns the labels of a namespace that was made one text. */
export function labelsIn(text: string): string[] {
  return text.split(LABEL_END).slice(0, -1)
}

/** Returns the least and the greatest text of a namespace and all inside it; undefined for the root, which has all. */
export function boundsOf(labels: readonly string[]): readonly [least: string, most: string] | undefined {
  const text = namespaceText(labels)
  // The blank is the sign after the end of a label.
  return text === '' ? undefined : [text, `${text.slice(0, -LABEL_END.length)} `]
}

/** True if a namespace is another or lies inside it. */
export function isWithin(labels: readonly string[], outer: readonly string[]): boolean {
  return outer.every((label, at) => labels[at] === label)
}

/** Returns the id of the item at a place of a scope: 128 bits, so that two places never meet. */
export function itemId(
  { space, namespace, key }: ItemPlace,
  scope: string | undefined,
  sha256Hex: Sha256Hex,
): string {
  return sha256Hex(JSON.stringify([scope ?? '', space, namespace, key])).slice(0, 32)
}

/** Returns the tag of one level, which only narrows what is looked at: labels differ in it that differ in case alone. */
export function levelTag(space: string, labels: readonly string[], sha256Hex: Sha256Hex): string {
  return `item/${sha256Hex(JSON.stringify([space, ...labels])).slice(0, 20)}`
}

/** Returns one tag for each level of a place, from the space to the namespace itself. */
export function levelTags(
  { space, namespace }: Pick<ItemPlace, 'space' | 'namespace'>,
  sha256Hex: Sha256Hex,
): string[] {
  return Array.from({ length: namespace.length + 1 }, (_, depth) =>
    levelTag(space, namespace.slice(0, depth), sha256Hex),
  )
}

/** True of a tag that only items give. */
export function isLevelTag(tag: string): boolean {
  return tag.startsWith('item/')
}

/** Returns the session of an item's texts: one of its own, so that items share no words. */
export function itemSession(place: ItemPlace, sha256Hex: Sha256Hex): string {
  return `item:${itemId(place, undefined, sha256Hex).slice(0, 20)}`
}
