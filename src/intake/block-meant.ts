import { type Block, firstId, otherIds } from '../block/block.ts'
import { normaliseContent, preview, shortName } from '../block/text.ts'
import { shownLine } from '../block/visible.ts'
import type { Engine } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { readBlocks } from '../store/blocks.ts'
import { HOLDERS_MOST } from '../store/look-up.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { ID_PREFIX_MIN, resolveIds } from './check-input.ts'

const ID = new RegExp(`^[0-9a-f]{${ID_PREFIX_MIN},64}$`)

/** So many digits are no word. */
const ID_SURELY = 8

/** So many blocks are named where words lead to several, each by so much of its text. */
const NAMED_MOST = 5
const PREVIEW = 60

/**
 * The one block that somebody means by its id, a beginning of it, or some of its words in any order; undefined if there is none.
 * Throws `AMBIGUOUS_ID` with the first of several. An archived block is found by its id or its whole text. The index must be
 * refreshed; three statements at most.
 */
export async function blockMeant(
  { index, ids }: Pick<Engine, 'index' | 'ids' | 'scope'>,
  tx: ReadTransaction,
  given: string,
  scope?: string,
): Promise<Block | undefined> {
  const said = given.trim()
  if (ID.test(said)) {
    const known = (await resolveIds(tx, [said])).ids
    if (known.length > 0 || said.length >= ID_SURELY) return (await readBlocks(tx, known))[0]
  }
  const { terms } = index.read(said)
  const holding = terms.length === 0 ? [] : index.holding(terms, HOLDERS_MOST)
  if (holding === undefined) throw tooMany(said, [])
  const blocks = holding.length === 0 ? [] : await readBlocks(tx, holding)
  const words = normaliseContent(said)
  const exact = blocks.filter(({ content }) => normaliseContent(content).includes(words))
  const meant = exact.length > 0 ? exact : blocks
  if (meant.length > 1) throw tooMany(said, meant)
  if (meant.length === 1) return meant[0]
  const text = { content: given, ...(scope === undefined ? {} : { scope }) }
  return (await readBlocks(tx, [firstId(text, ids.sha256), ...otherIds(text, ids.sha256)])).find(
    ({ content }) => normaliseContent(content) === words,
  )
}

function tooMany(said: string, blocks: readonly Block[]): ElfmemError {
  const named = blocks
    .slice(0, NAMED_MOST)
    .map(({ id, content }) => `${id.slice(0, 8)} ("${preview(shownLine(content), PREVIEW)}")`)
  const number = blocks.length === 0 ? `More than ${HOLDERS_MOST}` : String(blocks.length)
  return new ElfmemError('AMBIGUOUS_ID', `${number} blocks have the words "${shortName(shownLine(said))}".`, {
    recovery: `Give the id of one, or more of its words${named.length > 0 ? `: ${named.join(', ')}` : ''}.`,
    details: { prefix: said, candidates: blocks.slice(0, NAMED_MOST).map(({ id }) => id) },
  })
}
