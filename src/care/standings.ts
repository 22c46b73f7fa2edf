import type { Block } from '../block/block.ts'
import { firstId, otherIds } from '../block/ids.ts'
import { isSameText } from '../block/same-text.ts'
import { normaliseContent } from '../block/text.ts'
import { type Draft, meetingKey, textOf } from '../intake/admit.ts'
import { readBlocks, readSameTexts } from '../store/blocks.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Importing, importTag } from './prepare.ts'
import type { Prepared } from './tally.ts'

/**
 * How a text stands to the memory: it is new; a block says it; a text before it in the batch says it; or a block said it and
 * is archived, or says something else by now.
 */
export type Standing =
  | { readonly how: 'new' }
  | { readonly how: 'known' | 'moved on'; readonly blockId: string }
  | { readonly how: 'again'; readonly at: number }

/** The standing of each of some texts. At most two statements. */
export async function standingsOf(
  { engine, format }: Importing,
  tx: ReadTransaction,
  texts: readonly Prepared[],
): Promise<Standing[]> {
  const { sha256 } = engine.ids
  const drafts = texts.map(({ draft }) => draft)
  const said = drafts.map((draft) => textOf(engine, draft))
  const living = new Map((await readSameTexts(tx, said)).map((block) => [meetingKey(block), block]))
  const lives = said.map((text) => [firstId(text, sha256), ...otherIds(text, sha256)])
  const wanted = new Set([...lives.flat(), ...drafts.flatMap(({ id }) => id ?? [])])
  const holders = new Map((await readBlocks(tx, [...wanted])).map((block) => [block.id, block]))
  const first = new Map<string, number>()
  const found: Standing[] = []
  for (const [at, draft] of drafts.entries()) {
    const key = meetingKey(draft)
    const same = living.get(key)
    const former = formerOf(draft, { lives: lives[at] ?? [], holders, tag: importTag(format) })
    const before = first.get(key)
    if (same !== undefined) found.push({ how: 'known', blockId: same.id })
    else if (former !== undefined) found.push({ how: 'moved on', blockId: former.id })
    else if (before !== undefined) found.push({ how: 'again', at: before })
    else {
      first.set(key, at)
      found.push({ how: 'new' })
    }
  }
  return found
}

interface Lives {
  /** The ids that a text gets, one life after the other. */
  readonly lives: readonly string[]
  readonly holders: ReadonlyMap<string, Block>
  /** The tag of what came from this format. */
  readonly tag: string
}

/**
 * The block that a text was: archived with these words, or edited since. Who has the id by chance, or by a crafted file, is
 * none.
 */
function formerOf({ id, content }: Draft, { lives, holders, tag }: Lives): Block | undefined {
  const archived = [id ?? '', ...lives]
    .flatMap((each) => holders.get(each) ?? [])
    .find((block) => block.status === 'archived' && isSameText(block.content, content))
  if (archived !== undefined) return archived
  const isEdited = (block: Block | undefined) =>
    block?.tags.includes(tag) === true && normaliseContent(block.content) !== normaliseContent(content)
  return [id ?? '', lives[0] ?? ''].flatMap((each) => holders.get(each) ?? []).find(isEdited)
}
