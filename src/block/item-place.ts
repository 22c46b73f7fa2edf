/** The place of a named item is a key in a namespace of a space. */
export interface ItemPlace {
  /** The program that the item belongs to, or a part of that program. */
  readonly space: string
  /** Labels from the outermost to the innermost; empty at the root of the space. */
  readonly namespace: readonly string[]
  readonly key: string
}

type Sha256Hex = (text: string) => string

/** This sign closes each label, so that the text of a namespace begins the text of every namespace inside it. No label has it. */
export const LABEL_END = '\u001f'

/** Returns a namespace as one text, with which the text of every namespace inside it begins. */
export function namespaceText(labels: readonly string[]): string {
  return labels.map((label) => `${label}${LABEL_END}`).join('')
}

/** Returns the labels of a namespace from its text. */
export function labelsIn(text: string): string[] {
  return text.split(LABEL_END).slice(0, -1)
}

/** Returns the least and the greatest text of a namespace and all inside it; undefined for the root, which contains all. */
export function boundsOf(labels: readonly string[]): readonly [least: string, most: string] | undefined {
  const text = namespaceText(labels)
  // The blank is the sign after `LABEL_END`.
  return text === '' ? undefined : [text, `${text.slice(0, -LABEL_END.length)} `]
}

/** Returns true if a namespace is the same as an outer one or lies inside it. */
export function isWithin(labels: readonly string[], outer: readonly string[]): boolean {
  return outer.every((label, at) => labels[at] === label)
}

/** Returns the id of the item at a place of a scope: 128 bits of a hash, so that two places never share an id. */
export function itemId(
  { space, namespace, key }: ItemPlace,
  scope: string | undefined,
  sha256Hex: Sha256Hex,
): string {
  return sha256Hex(JSON.stringify([scope ?? '', space, namespace, key])).slice(0, 32)
}

/** Returns the tag of one level of a place. It only narrows a search; labels that differ in case alone have different tags. */
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

/** Returns true if a tag is that of a level; only items give such tags. */
export function isLevelTag(tag: string): boolean {
  return tag.startsWith('item/')
}

/** Returns the session of an item's texts: every item has its own, so that items share no words. */
export function itemSession(place: ItemPlace, sha256Hex: Sha256Hex): string {
  return `item:${itemId(place, undefined, sha256Hex).slice(0, 20)}`
}
