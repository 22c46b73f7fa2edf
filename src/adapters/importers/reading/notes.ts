/** The parts of a note: its observations, its relations, and the rest. */
export interface NoteParts {
  /** `- [category] text #tag (context)`, as basic-memory writes them. */
  readonly observations: readonly {
    readonly category: string
    readonly text: string
    readonly context: string | undefined
    readonly tags: readonly string[]
  }[]
  /** `- relation [[Target]]`, and wikilinks of other lines as `links_to`. */
  readonly relations: readonly { readonly relation: string; readonly target: string }[]
  /** The lines that are no heading of the note. */
  readonly rest: string
  /** Tags in the rest. */
  readonly tags: readonly string[]
}

/** The relation of a link that names none. */
const LINKS_TO = 'links_to'
/** Signs of a relation, the words before a link in a list; longer ones are a sentence. */
const RELATION_MOST = 60
/** A line is looked through so far for links and tags. */
const LINE_MOST = 10_000

/** Parts a note; one pass over its lines, code left as it is. */
export function partsOf(body: string): NoteParts {
  const observations: NoteParts['observations'][number][] = []
  const relations: NoteParts['relations'][number][] = []
  const rest: string[] = []
  const tags = new Set<string>()
  let isCode = false
  for (const whole of body.split('\n')) {
    const line = whole.trimEnd()
    const isFence = line.trimStart().startsWith('```') || line.trimStart().startsWith('~~~')
    if (isFence) isCode = !isCode
    if (isFence || isCode) {
      rest.push(line)
      continue
    }
    const observation = observationIn(line)
    if (observation !== undefined) {
      observations.push(observation)
      continue
    }
    const links = linksIn(line)
    const relation = relationIn(line, links)
    if (relation !== undefined) {
      relations.push(relation)
      continue
    }
    relations.push(...links.map((target) => ({ relation: LINKS_TO, target })))
    for (const tag of tagsIn(line).tags) tags.add(tag)
    rest.push(line)
  }
  return { observations, relations, rest: rest.join('\n').trim(), tags: [...tags] }
}

function observationIn(line: string): NoteParts['observations'][number] | undefined {
  if (!line.startsWith('- [')) return undefined
  const end = line.indexOf('] ', 3)
  const category = line.slice(3, end).trim().toLowerCase()
  // One sign is a box to tick, and two brackets are a link.
  if (end < 5 || category.length < 2 || category.startsWith('[') || /\s/.test(category)) return undefined
  const said = line.slice(end + 2).trim()
  const open = said.endsWith(')') ? said.lastIndexOf('(') : -1
  const context = open > 0 ? said.slice(open + 1, -1).trim() : undefined
  const { text, tags } = tagsIn(open > 0 ? said.slice(0, open).trim() : said)
  return text === '' ? undefined : { category, text, context: context || undefined, tags }
}

/** A line of a list that is some words and one link, and nothing behind it. */
function relationIn(line: string, links: readonly string[]): NoteParts['relations'][number] | undefined {
  const [target] = links
  const open = line.indexOf('[[')
  if (
    target === undefined ||
    links.length > 1 ||
    !line.startsWith('- ') ||
    line.indexOf(']]') + 2 < line.length
  )
    return undefined
  const relation = line.slice(2, open).trim()
  if (relation === '') return { relation: LINKS_TO, target }
  return relation.length <= RELATION_MOST && !relation.includes('.') ? { relation, target } : undefined
}

/**
 * The targets of `[[Target]]`, `[[Target|other words]]`, in a table `[[Target\|other words]]`, and `[[Target#heading]]`; what
 * `![[…]]` embeds is none.
 */
function linksIn(whole: string): string[] {
  const line = whole.slice(0, LINE_MOST)
  const found: string[] = []
  for (let open = line.indexOf('[['); open >= 0; open = line.indexOf('[[', open + 2)) {
    const close = line.indexOf(']]', open)
    if (close < 0) break
    const target =
      line
        .slice(open + 2, close)
        .split(/\\?\||#/, 1)[0]
        ?.trim() ?? ''
    if (target !== '' && !target.includes('[[') && line[open - 1] !== '!') found.push(target)
  }
  return found
}

/** Returns the words that begin with `#` and hold a letter, and the text without those at its end. */
function tagsIn(whole: string): { readonly text: string; readonly tags: string[] } {
  const words = whole.slice(0, LINE_MOST).split(' ')
  const isTag = (word: string) => /^#[\p{L}\p{N}_/-]+$/u.test(word) && /\p{L}/u.test(word)
  const tags = words.filter(isTag).map((word) => word.slice(1))
  let last = words.length
  while (last > 0 && isTag(words[last - 1] as string)) last -= 1
  const text = last === words.length ? whole : words.slice(0, last).join(' ')
  return { text: text.trim(), tags }
}
