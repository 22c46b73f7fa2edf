/** Blocks by their groups, with what names are made of. */
export interface Named {
  /** The group of each block, the largest 0. */
  readonly groups: ArrayLike<number>
  /** Tags of each block. */
  readonly tags: readonly (readonly string[])[]
  /** The beginning of each block's words. */
  readonly texts: readonly string[]
}

/** A group with the name that tells it from the others. */
export interface Group {
  readonly group: number
  readonly name: string
  readonly size: number
}

/** A tag must be on so large a share of a group to name it, and a word in so large a share. */
const LEAST_SHARE = { tag: 0.2, word: 0.04 }
/** A word in fewer blocks of a group says little of it. */
const LEAST_BLOCKS = 2
/** Shorter words are mostly articles and particles, in whatever language. */
const WORD = /\p{L}{4,}/gu
const CUT = '…'
/** A letter, or half of one that has two signs. */
const LETTER = /[\p{L}\p{Cs}]/u
/** What is not so many times as frequent in a group as overall tells nothing of it. */
const TELLING = 1.5
const WORDS_IN_NAME = 2
/** Groups below this size are not named by words: each word would be telling. */
const SMALLEST_NAMED = 3

/**
 * Names groups by their most telling tag and their two most telling words: of share s in the group and share o overall what
 * s · log(s / o) makes largest, for a word in h of g groups times log((g + 1) / h). So no list of common words is needed, in any language.
 */
export function namesOf({ groups, tags, texts }: Named): Group[] {
  const sizes = countsOf(Array.from(groups))
  const words = texts.map((text) => [...new Set(wordsOf(text))])
  const telling = {
    tag: tellingOf(groups, tags, 'tag'),
    word: tellingOf(groups, words, 'word'),
  }
  const used = new Set<string>()
  // A word that is a tag, too, says nothing that a tag does not say better.
  const whole = new Set(tags.flat().map((tag) => lastPart(tag).toLowerCase()))
  return [...sizes]
    .sort(([p], [q]) => p - q)
    .map(([group, size]) => {
      const own = (telling.tag.get(group) ?? []).map(lastPart)
      // A number names nothing by itself, as that of a session.
      const shownTag = own.find((tag) => /\p{L}{2}/u.test(tag)) ?? own[0]
      const parts = new Set(wordsOf(shownTag ?? ''))
      const said = (telling.word.get(group) ?? []).filter((word) => !whole.has(word) && !parts.has(word))
      const name =
        size < SMALLEST_NAMED ? shortName(shownTag, group) : uniqueName({ tag: shownTag, said, group }, used)
      used.add(name)
      return { group, name, size }
    })
}

/** Words in small letters; the last one of a text that was cut may be half a word. */
function wordsOf(text: string): string[] {
  return withoutHalfWord(text).toLowerCase().match(WORD) ?? []
}

function withoutHalfWord(text: string): string {
  if (!text.endsWith(CUT)) return text
  let end = text.length - CUT.length
  while (end > 0 && LETTER.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

function shortName(tag: string | undefined, group: number): string {
  return tag ?? `group ${group + 1}`
}

/** If a name is taken, its words are followed by the next telling one. */
function uniqueName(
  {
    tag,
    said,
    group,
  }: { readonly tag: string | undefined; readonly said: readonly string[]; readonly group: number },
  used: ReadonlySet<string>,
): string {
  for (let count = WORDS_IN_NAME; count <= WORDS_IN_NAME + 2; count++) {
    const words = said.slice(0, count).join(', ')
    const name = [tag, words].filter(Boolean).join(': ') || `group ${group + 1}`
    if (!used.has(name)) return name
  }
  return `group ${group + 1}`
}

/** What follows the last slash of a tag: of `person/maria`, maria. */
function lastPart(tag: string): string {
  return tag.slice(tag.lastIndexOf('/') + 1) || tag
}

function countsOf<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** The values of each group, the most telling first. */
function tellingOf(
  groups: ArrayLike<number>,
  values: readonly (readonly string[])[],
  kind: keyof typeof LEAST_SHARE,
): Map<number, string[]> {
  const overall = countsOf(values.flat())
  const sizes = countsOf(Array.from(groups))
  const size = (group: number) => sizes.get(group) ?? 1
  const own = new Map<number, string[]>()
  values.forEach((list, i) => {
    const group = groups[i] ?? 0
    const all = own.get(group)
    if (all === undefined) own.set(group, [...list])
    else all.push(...list)
  })
  // A word that most groups have is one of the language, as "from" and "should".
  const holders = countsOf([...own.values()].flatMap((list) => [...new Set(list)]))
  const rarity = (value: string) =>
    kind === 'tag' ? 1 : Math.log((own.size + 1) / (holders.get(value) ?? 1))
  return new Map(
    [...own].map(([group, list]) => {
      const scored = [...countsOf(list)].flatMap(([value, count]) => {
        const share = count / size(group)
        const times = (share * values.length) / (overall.get(value) ?? 1)
        // A group that is all there is has nothing to be told from.
        const isTelling = times >= TELLING || size(group) === values.length
        return count < LEAST_BLOCKS || share < LEAST_SHARE[kind] || !isTelling
          ? []
          : [{ value, score: share * Math.log(times) * rarity(value) }]
      })
      scored.sort((p, q) => q.score - p.score || (p.value < q.value ? -1 : 1))
      return [group, scored.map(({ value }) => value)]
    }),
  )
}
